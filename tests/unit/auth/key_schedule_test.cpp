// The times of fetches of a key set, with a simulated clock.
#include "core/auth/key_schedule.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

class KeyScheduleTest : public testing::Test {
 protected:
  // Seconds after the start.
  static Instant at(std::int64_t second) { return after({1'000'000'000}, std::chrono::seconds(second)); }
  static std::int64_t seconds_of(Instant instant) { return (instant.microseconds - at(0).microseconds) / 1'000'000; }

  [[nodiscard]] std::int64_t due() const { return seconds_of(due_at(fetches_, times_, failed_at_)); }
  [[nodiscard]] std::int64_t due_for_key() const {
    return seconds_of(due_for_unknown_key(fetches_, times_, due_at(fetches_, times_, failed_at_)));
  }
  void succeed(std::int64_t second) { fetches_ = {.attempted_at = at(second), .fetched_at = at(second + 1)}; }
  // A fetch that fails after two seconds.
  void fail(std::int64_t second) {
    fetches_.attempted_at = at(second);
    failed_at_ = at(second + 2);
    ++fetches_.failures;
  }

  const RefreshIntervals times_;
  KeyFetches fetches_;
  Instant failed_at_{};
};

TEST_F(KeyScheduleTest, FetchesImmediatelyAndThenAtIntervals) {
  EXPECT_LE(due(), 0);
  EXPECT_LE(due_for_key(), 0);
  succeed(0);
  EXPECT_EQ(due(), 301);
}

TEST_F(KeyScheduleTest, AnUnknownKeyCausesAtMostOneFetchInThirtySeconds) {
  succeed(0);
  EXPECT_EQ(due_for_key(), 30);
  for (const int began : {100, 130, 160, 190}) {
    fail(began);
    EXPECT_EQ(due_for_key(), began + 30);
  }
}

TEST_F(KeyScheduleTest, AnUnknownKeyNeverDelaysAFetch) {
  fail(0);
  EXPECT_EQ(due_for_key(), due());
}

TEST_F(KeyScheduleTest, WithoutKeysRetriesAreFrequent) {
  for (const int wait : {1, 2, 4, 8, 16, 30, 30, 30}) {
    fail(0);
    EXPECT_EQ(due(), 2 + wait);
  }
}

TEST_F(KeyScheduleTest, WithKeysRetriesAreLessFrequent) {
  succeed(0);
  for (const int wait : {30, 60, 120, 240, 300, 300}) {
    fail(300);
    EXPECT_EQ(due(), 302 + wait);
  }
  fetches_.failures = 1'000'000;
  EXPECT_EQ(due(), 302 + 300);
}

TEST_F(KeyScheduleTest, KeysExpireADayAfterTheLastSuccess) {
  EXPECT_LE(expires_at(fetches_, times_), at(0));
  succeed(0);
  fail(300);
  EXPECT_EQ(expires_at(fetches_, times_), at(86'401));
}

}  // namespace
}  // namespace portail
