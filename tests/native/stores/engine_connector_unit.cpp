// The pauses between attempts to connect to an engine.
#include <chrono>
#include <expected>
#include <semaphore>

#include <gtest/gtest.h>

#include "native/stores/engine/engine_connector.hpp"

namespace portail::engine {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;

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

}  // namespace
}  // namespace portail::engine
