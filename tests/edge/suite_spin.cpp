// The conformance suite over Spin's asynchronous store.
#include "edge/stores/spin/spin_store.hpp"
#include "tests/edge/store_suite.hpp"
#include "tests/edge/suite_request.hpp"

namespace portail {

const bool store_of_suite_waits = true;

std::unique_ptr<KeyValueStore> open_store_of_suite() {
  return make_waiting(std::make_unique<edge::SpinStore>("suite"));
}

}  // namespace portail
