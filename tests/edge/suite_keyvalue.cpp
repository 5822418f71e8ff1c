#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "edge/stores/keyvalue/keyvalue_store.hpp"
#include "tests/edge/store_suite.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

TEST(EdgeStoreFaults, OfAHostThatReturnsAnotherKeyAreNoAbsence) {
  const auto store = open_store_of_suite();
  CountingContext test;
  Context& context = test.context;
  const std::vector<Change> changes = {{"misnamed", "v"}, {"k", "v"}};
  ASSERT_TRUE(run_ready(store->write(context, changes)));
  const auto session = run_ready(store->open(context));
  const std::vector<std::string_view> keys = {"misnamed", "k"};
  std::vector<Value> values(2);
  EXPECT_EQ(run_ready((*session)->get(context, keys, values)), std::unexpected(Failure::unavailable));
  EXPECT_EQ(test.log.lines,
            (std::vector<std::string>{"store: a read failed: the host returned keys that were not requested"}));
  const std::vector<Change> removal = {{"misnamed", std::nullopt}};
  EXPECT_TRUE(run_ready(store->write(context, removal)));
}

}  // namespace

const bool store_of_suite_waits = false;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return open_or_abort<edge::KeyvalueStore>("suite"); }

}  // namespace portail
