// The conformance suite as a component, over the store of open_store_of_suite(), in the host that it is composed with.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Defined by each suite. The store's bucket may contain values of an earlier test.
std::unique_ptr<KeyValueStore> open_store_of_suite();

// Store::open(bucket); prints the reason and aborts if it fails.
template <class Store>
std::unique_ptr<KeyValueStore> open_or_abort(const std::string& bucket) {
  auto store = Store::open(bucket);
  if (store) return std::move(*store);
  std::puts(store.error().c_str());
  std::abort();
}

// Whether the store's operations end at the deadline of their request.
extern const bool store_of_suite_waits;

// Runs all tests, with output to standard output. Returns whether they passed.
bool run_store_suite();

}  // namespace portail
