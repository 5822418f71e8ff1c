// A portal imported into an in-memory store, and a service for it. One thread.
#pragma once

#include <memory>
#include <string>

#include "core/api/service.hpp"
#include "core/storage/memory_store.hpp"

namespace portail {

struct SamplePortal {
  MemoryStore store;
  std::unique_ptr<Service> service;
};

// Imports the document and the template files of its directory. On failure, ends the program with a line on standard
// error.
std::unique_ptr<SamplePortal> load_portal(const std::string& document);

}  // namespace portail
