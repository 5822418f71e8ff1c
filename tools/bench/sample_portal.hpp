// The sample portal of fixtures/, imported into a store in memory, and a service over it. One thread.
#pragma once

#include <memory>

#include "core/service.hpp"
#include "core/storage/memory_store.hpp"

namespace portail {

struct SamplePortal {
  MemoryStore store;
  std::unique_ptr<Service> service;
};

// Ends the program with a line on standard error where the fixtures cannot be imported.
std::unique_ptr<SamplePortal> load_sample_portal();

}  // namespace portail
