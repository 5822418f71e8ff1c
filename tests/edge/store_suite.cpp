#include "tests/edge/store_suite.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

std::unique_ptr<KeyValueStore> make_empty_store() {
  struct Names : Visitor {
    bool visit(std::string_view key, std::string_view) override {
      all.emplace_back(key);
      return true;
    }
    std::vector<std::string> all;
  } names;
  auto store = open_store_of_suite();
  StoreClient client(*store);
  EXPECT_TRUE(run_ready(store->scan(client.context(), "", names)));
  for (const std::string& name : names.all) EXPECT_TRUE(client.remove(name));
  return store;
}

INSTANTIATE_TEST_SUITE_P(Edge, StoreConformance, testing::Values(make_empty_store),
                         [](const auto&) { return "store"; });

}  // namespace

bool run_store_suite() {
  int count = 1;
  char name[] = "store_suite";
  char* values[] = {name, nullptr};
  testing::InitGoogleTest(&count, values);
  return RUN_ALL_TESTS() == 0;
}

}  // namespace portail
