// A portal imported into a store in memory, and a service over it. One thread.
#pragma once

#include <memory>
#include <string>

#include "core/service.hpp"
#include "core/storage/memory_store.hpp"

namespace portail {

struct SamplePortal {
  MemoryStore store;
  std::unique_ptr<Service> service;
};

// The document at that path, with the template files of its folder. Ends the program with a line on standard error
// where they cannot be imported.
std::unique_ptr<SamplePortal> load_portal(const std::string& document);

}  // namespace portail
