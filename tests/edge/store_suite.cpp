#include "tests/edge/store_suite.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/edge/bindings/store-suite/store_suite.h"
#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

std::unique_ptr<KeyValueStore> make_empty_store() {
  auto store = open_store_of_suite();
  StoreClient client(*store);
  for (const std::string& found : client.scan("")) {
    EXPECT_TRUE(client.remove(found.substr(0, found.find('='))));
  }
  return store;
}

INSTANTIATE_TEST_SUITE_P(Edge, StoreConformance, testing::Values(make_empty_store),
                         [](const auto&) { return "store"; });

}  // namespace
}  // namespace portail

bool exports_store_suite_run() {
  int count = 1;
  char name[] = "store_suite";
  char* values[] = {name, nullptr};
  testing::InitGoogleTest(&count, values);
  return RUN_ALL_TESTS() == 0;
}
