#include <cstdio>
#include <cstdlib>

#include "edge/stores/keyvalue/keyvalue2_store.hpp"
#include "tests/edge/store_suite.hpp"

namespace portail {

const bool store_of_suite_waits = false;

std::unique_ptr<KeyValueStore> open_store_of_suite() {
  auto store = edge::Keyvalue2Store::open("suite");
  if (store) return std::move(*store);
  std::puts(store.error().c_str());
  std::abort();
}

}  // namespace portail
