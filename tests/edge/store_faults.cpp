// Tests a component's store with a host whose calls fail, or never return.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/edge/store_suite.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

constexpr std::unexpected unavailable(Failure::unavailable);

// A store and its log.
struct LoggedStore {
  Result<void> get(std::string_view key) {
    auto session = run_ready(store->open(context));
    if (!session) return std::unexpected(session.error());
    const std::vector<std::string_view> keys = {"k", key};
    std::vector<Value> values(2);
    return run_ready((*session)->get(context, keys, values));
  }
  Result<void> write(std::vector<Change> changes) { return run_ready(store->write(context, changes)); }
  // Returns the number of entries.
  Result<std::size_t> scan() {
    struct Counter : Visitor {
      bool visit(std::string_view, std::string_view) override {
        ++count;
        return true;
      }
      std::size_t count = 0;
    } counter;
    if (auto done = run_ready(store->scan(context, "", counter)); !done) return std::unexpected(done.error());
    return counter.count;
  }

  std::unique_ptr<KeyValueStore> store = open_store_of_suite();
  CountingContext test;
  CollectingLog& log = test.log;
  Context& context = test.context;
};

TEST(EdgeStoreFaults, AreUnavailabilityWithTheHostsReasonInTheLog) {
  LoggedStore logged;
  EXPECT_TRUE(logged.write({{"k", "v"}}));
  EXPECT_EQ(logged.get("refused"), unavailable);
  EXPECT_EQ(logged.write({{"refused", "v"}}), unavailable);
  EXPECT_EQ(logged.write({{"refused", std::nullopt}}), unavailable);
  EXPECT_EQ(run_ready(logged.store->compare_and_swap(logged.context, "refused", std::nullopt, "v")), unavailable);
  ASSERT_EQ(logged.log.lines.size(), 4u);
  EXPECT_EQ(logged.log.lines[0], "store: a read failed: the folder cannot be used");
  EXPECT_EQ(logged.log.lines[1], "store: a write failed: the folder cannot be used");
  EXPECT_EQ(logged.log.lines[2], "store: a write failed: the folder cannot be used");
  EXPECT_TRUE(logged.log.lines[3].ends_with(" failed: the folder cannot be used")) << logged.log.lines[3];
  EXPECT_TRUE(logged.get("other")) << "the store goes on";
}

TEST(EdgeStoreFaults, OfAListingAreNoEmptyStore) {
  LoggedStore logged;
  ASSERT_TRUE(logged.write({{"k", "v"}, {"unlisted", "v"}}));
  EXPECT_EQ(logged.scan(), unavailable);
  EXPECT_EQ(logged.log.lines, (std::vector<std::string>{"store: a scan failed: the folder cannot be used"}));
  ASSERT_TRUE(logged.write({{"unlisted", std::nullopt}}));
  EXPECT_GE(logged.scan().value_or(0), 1U) << "the store goes on";
}

TEST(EdgeStoreFaults, OfASilentHostEndAtTheDeadline) {
  if (!store_of_suite_waits) GTEST_SKIP() << "this store blocks until its host has answered";
  LoggedStore logged;
  logged.context.deadline = {50'000};
  EXPECT_EQ(logged.get("silent"), std::unexpected(Failure::cancelled));
  EXPECT_EQ(logged.log.lines, (std::vector<std::string>{"store: a read failed: timed out waiting for the host"}));
  logged.context.deadline = {60'000'000};
  EXPECT_TRUE(logged.get("other")) << "the store goes on";
}

}  // namespace
}  // namespace portail
