#include "core/webassembly/portal.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"

namespace portail {
namespace {

// Records the deadline of each call of open().
class DeadlineRecorder final : public ForwardingStore {
 public:
  DeadlineRecorder(KeyValueStore& target, std::vector<std::int64_t>& deadlines)
      : ForwardingStore(target), deadlines_(deadlines) {}

  Task<std::unique_ptr<Session>> open(Context& context) override {
    deadlines_.push_back(context.deadline.microseconds);
    co_return co_await target().open(context);
  }

 private:
  std::vector<std::int64_t>& deadlines_;
};

class PortalTest : public testing::Test {
 protected:
  // Returns the deadlines with which a request opens the store.
  std::vector<std::int64_t> deadlines_of(std::string_view target, std::int64_t deadline) {
    deadlines_.clear();
    TestContext test;
    test.context.deadline = {deadline};
    ScriptedClient client(test.clock);
    Portal portal(test.random, PortalSettings{}, std::make_unique<DeadlineRecorder>(values_, deadlines_), client);
    TestRequest request("GET", target);
    EXPECT_TRUE(run_ready(portal.handle(test.context, request.view())));
    return deadlines_;
  }

  MemoryStore values_;
  std::vector<std::int64_t> deadlines_;
  const std::int64_t now_ = TestContext().clock.now().microseconds;
};

TEST_F(PortalTest, HealthProbesWaitFiveSecondsAtMost) {
  const std::int64_t in_30_seconds = now_ + 30'000'000;
  const std::int64_t in_5_seconds = now_ + 5'000'000;
  // One session for the key set, one for the layout.
  EXPECT_EQ(deadlines_of("/health/ready", in_30_seconds), (std::vector<std::int64_t>(2, in_5_seconds)));
  EXPECT_EQ(deadlines_of("/health-status", in_30_seconds).front(), in_5_seconds);
  EXPECT_EQ(deadlines_of("/health/live", in_30_seconds), (std::vector<std::int64_t>{in_5_seconds}));
  EXPECT_EQ(deadlines_of("http://host/health/live", in_30_seconds), (std::vector<std::int64_t>{in_5_seconds}));
  EXPECT_EQ(deadlines_of("/api/app/liasse", in_30_seconds), (std::vector<std::int64_t>{in_30_seconds}));
  EXPECT_EQ(deadlines_of("/health/ready", now_ + 1).front(), now_ + 1);
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(deadlines_of("/health/ready", never).front(), never);
}

TEST_F(PortalTest, RefusalsAreInTheLogAndOtherAnswersAreNot) {
  TestContext test;
  ScriptedClient client(test.clock);
  Portal portal(test.random, PortalSettings{}, std::make_unique<ForwardingStore>(values_), client);
  TestRequest live("GET", "/health/live");
  EXPECT_EQ(run_ready(portal.handle(test.context, live.view()))->status, 200);
  EXPECT_TRUE(test.log.records.empty());
  TestRequest refused("GET", "/api/app/liasse/L-1");
  EXPECT_EQ(run_ready(portal.handle(test.context, refused.view()))->status, 401);
  ASSERT_EQ(test.log.records.size(), 1);
  EXPECT_TRUE(test.log.records[0].contains(R"("access":"refused")")) << test.log.records[0];
  EXPECT_TRUE(test.log.records[0].contains(R"("entity":"L-1","status":401,"reason":"No bearer token was sent")"))
      << test.log.records[0];
}

}  // namespace
}  // namespace portail
