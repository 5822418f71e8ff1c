// Repeated warnings in the log.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "native/system/log.hpp"

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

TEST(CauseThrottle, IsDueOnceAMinuteForEachCause) {
  const auto at = [](int time) { return LogThrottle::Time{} + milliseconds(time); };
  CauseThrottle throttle;
  EXPECT_TRUE(throttle.is_due("one", at(5)));
  EXPECT_TRUE(throttle.is_due("two", at(6)));
  EXPECT_FALSE(throttle.is_due("one", at(7)));
  EXPECT_FALSE(throttle.is_due("two", at(60'005)));
  EXPECT_TRUE(throttle.is_due("one", at(60'005)));
  EXPECT_TRUE(throttle.is_due("two", at(60'006)));
  for (char cause = 'a'; cause < 'a' + 16; ++cause) EXPECT_TRUE(throttle.is_due(std::string(1, cause), at(60'007)));
  EXPECT_TRUE(throttle.is_due("one", at(60'008))) << "forgotten for later ones";
}

}  // namespace
}  // namespace portail
