// Repeated warnings in the log.
#include <chrono>

#include <gtest/gtest.h>

#include "native/system/log_throttle.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;

TEST(LogThrottle, IsDueOnceAMinute) {
  const auto at = [](int time) { return LogThrottle::Time{} + milliseconds(time); };
  LogThrottle throttle;
  EXPECT_TRUE(throttle.is_due(at(5)));
  EXPECT_FALSE(throttle.is_due(at(5)));
  EXPECT_FALSE(throttle.is_due(at(60'004)));
  EXPECT_TRUE(throttle.is_due(at(60'005)));
  EXPECT_FALSE(throttle.is_due(at(120'004)));
}

}  // namespace
}  // namespace portail
