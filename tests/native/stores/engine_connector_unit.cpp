// The pauses between attempts to connect to an engine, and the limits of calls to it.
#include <chrono>
#include <expected>
#include <semaphore>

#include <gtest/gtest.h>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/engine/engine_connector.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;

class EngineConnectorTest : public testing::Test {
 protected:
  using TestConnector = Connector<int, int>;

  // Polls the outcome of the running attempt, and starts the next one, with that outcome, as soon as that is possible:
  // after the pause, and not before.
  void expect_pause(milliseconds pause, TestConnector::Outcome next) {
    ASSERT_TRUE(completed.try_acquire_for(std::chrono::minutes(1)));
    const auto before = steady_clock::now();
    EXPECT_EQ(connector.poll_outcome(), outcome);
    const auto after = steady_clock::now();
    outcome = next;
    EXPECT_FALSE(connector.start_attempt(before + pause - milliseconds(1)));
    ASSERT_TRUE(connector.start_attempt(after + pause));
  }

  TestConnector::Outcome outcome;
  std::counting_semaphore<> completed{0};
  TestConnector connector{[this] { return outcome; }, [this] { completed.release(); }};
};

TEST_F(EngineConnectorTest, DoublesThePauseAfterEachFailureUpToASecond) {
  const std::unexpected failed(1);
  outcome = failed;
  ASSERT_TRUE(connector.start_attempt(steady_clock::now()));
  for (const int pause : {50, 100, 200, 400, 800, 1000}) {
    ASSERT_NO_FATAL_FAILURE(expect_pause(milliseconds(pause), failed));
  }
  ASSERT_NO_FATAL_FAILURE(expect_pause(milliseconds(1000), 2));
  ASSERT_NO_FATAL_FAILURE(expect_pause(milliseconds(0), failed));
  ASSERT_NO_FATAL_FAILURE(expect_pause(milliseconds(50), failed));
}

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
