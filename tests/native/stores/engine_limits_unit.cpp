// The limits of calls to an engine.
#include <chrono>

#include <gtest/gtest.h>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds, std::chrono::seconds, std::chrono::steady_clock;

// A call of a request that has `left` ends after `expected`, with that failure.
void expect_deadline(microseconds left, seconds expected, Failure on_expiry) {
  TestContext test;
  test.context.deadline = {test.clock.now().microseconds + left.count()};
  const auto before = steady_clock::now();
  const Deadline call = call_deadline(test.context);
  EXPECT_GE(call.at, before + expected);
  EXPECT_LE(call.at, steady_clock::now() + expected);
  EXPECT_EQ(call.on_expiry, on_expiry);
}

TEST(EngineLimits, ACallHas10SecondsAtMost) { expect_deadline(30s, 10s, Failure::unavailable); }

TEST(EngineLimits, ACallEndsWithItsRequest) { expect_deadline(3s, 3s, Failure::cancelled); }

TEST(EngineLimits, ABatchHas256MiBAtMost) { EXPECT_EQ(max_batch_bytes, 268'435'456U); }

}  // namespace
}  // namespace portail::engine
