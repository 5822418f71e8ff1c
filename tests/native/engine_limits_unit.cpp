// The limits of calls to an engine.
#include <chrono>

#include <gtest/gtest.h>

#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(EngineLimits, ACallHas10SecondsAtMost) {
  TestContext test;
  test.context.deadline = {test.clock.now().microseconds + 30'000'000};
  const auto before = steady_clock::now();
  const Deadline call = call_deadline(test.context);
  EXPECT_GE(call.at, before + 10s);
  EXPECT_LE(call.at, steady_clock::now() + 10s);
  EXPECT_EQ(call.on_expiry, Failure::unavailable);
}

TEST(EngineLimits, ACallEndsWithItsRequest) {
  TestContext test;
  test.context.deadline = {test.clock.now().microseconds + 3'000'000};
  const auto before = steady_clock::now();
  const Deadline call = call_deadline(test.context);
  EXPECT_GE(call.at, before + 3s);
  EXPECT_LE(call.at, steady_clock::now() + 3s);
  EXPECT_EQ(call.on_expiry, Failure::cancelled);
}

TEST(EngineLimits, ABatchHas256MiBAtMost) { EXPECT_EQ(max_batch_bytes, 268'435'456U); }

}  // namespace
}  // namespace portail::engine
