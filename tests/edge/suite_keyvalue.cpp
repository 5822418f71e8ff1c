#include <cstdio>
#include <cstdlib>

#include "edge/stores/keyvalue/keyvalue_store.hpp"
#include "tests/edge/store_suite.hpp"

namespace portail {

const bool store_of_suite_waits = false;

std::unique_ptr<KeyValueStore> open_store_of_suite() {
  auto store = edge::KeyvalueStore::open("suite");
  if (store) return std::move(*store);
  std::puts(store.error().c_str());
  std::abort();
}

}  // namespace portail
