// The conformance suite as a component: over the store that is made here, in the host that it is composed with.
#pragma once

#include <memory>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Defined by each suite. The store's bucket may hold what an earlier test left.
std::unique_ptr<KeyValueStore> open_store_of_suite();

// Whether it gives up at the deadline of its request.
extern const bool store_of_suite_waits;

// Whether every test passed; what they say goes to standard output.
bool run_store_suite();

}  // namespace portail
