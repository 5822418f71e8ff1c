#include "edge/stores/keyvalue/keyvalue2_store.hpp"
#include "tests/edge/store_suite.hpp"

namespace portail {

const bool store_of_suite_waits = false;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return open_or_abort<edge::Keyvalue2Store>("suite"); }

}  // namespace portail
