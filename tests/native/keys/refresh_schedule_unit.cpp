// The times of fetches of a key set, with a simulated clock.
#include <gtest/gtest.h>

#include "native/keys/refresh_schedule.hpp"

namespace portail::keys {
namespace {

using std::chrono::seconds, std::chrono::hours;
using Time = RefreshSchedule::Time;

class Schedule : public testing::Test {
 protected:
  // Seconds after the start.
  static Time at(int second) { return Time(hours(1000)) + seconds(second); }
  [[nodiscard]] int due() const {
    return static_cast<int>(std::chrono::duration_cast<seconds>(schedule.due() - at(0)).count());
  }
  void succeed(int second) {
    schedule.on_fetch_started(at(second));
    schedule.on_fetch_succeeded(at(second));
  }
  void fail(int second) {
    schedule.on_fetch_started(at(second));
    schedule.on_fetch_failed(at(second));
  }

  RefreshSchedule schedule{RefreshIntervals{}, at(0)};
};

TEST_F(Schedule, FetchesImmediatelyAndThenAtIntervals) {
  EXPECT_EQ(due(), 0);
  succeed(0);
  EXPECT_EQ(due(), 300);
  succeed(310);
  EXPECT_EQ(due(), 610);
}

TEST_F(Schedule, ARequestedFetchIsDueImmediately) {
  succeed(0);
  schedule.on_refresh_requested(at(5));
  EXPECT_EQ(due(), 5);
  succeed(5);
  EXPECT_EQ(due(), 305);
}

TEST_F(Schedule, AFetchRequestedDuringAFetchIsDueAfterIt) {
  schedule.on_fetch_started(at(0));
  schedule.on_refresh_requested(at(1));
  schedule.on_fetch_succeeded(at(2));
  EXPECT_EQ(due(), 2);
  schedule.on_fetch_started(at(2));
  schedule.on_refresh_requested(at(3));
  schedule.on_fetch_failed(at(4));
  EXPECT_EQ(due(), 4);
  succeed(4);
  EXPECT_EQ(due(), 304);
}

TEST_F(Schedule, AnUnknownKeyCausesAtMostOneFetchInThirtySeconds) {
  succeed(0);
  schedule.on_unknown_key(at(10));
  EXPECT_EQ(due(), 30);
  schedule.on_unknown_key(at(20));
  EXPECT_EQ(due(), 30);
  succeed(30);
  EXPECT_EQ(due(), 330);
  schedule.on_unknown_key(at(100));
  EXPECT_EQ(due(), 100);
  succeed(100);
  schedule.on_unknown_key(at(101));
  EXPECT_EQ(due(), 130);
}

TEST_F(Schedule, AlsoIfFetchesFail) {
  succeed(0);
  for (const int began : {100, 130, 160, 190}) {
    schedule.on_unknown_key(at(began));
    EXPECT_EQ(due(), began);
    fail(began);
    schedule.on_unknown_key(at(began + 1));
    EXPECT_EQ(due(), began + 30);
  }
}

TEST_F(Schedule, AnUnknownKeyNeverDelaysAFetch) {
  succeed(0);
  schedule.on_unknown_key(at(299));
  EXPECT_EQ(due(), 299);
  succeed(280);
  EXPECT_EQ(due(), 580);
}

TEST_F(Schedule, WithoutKeysRetriesAreFrequent) {
  int now = 0;
  for (const int wait : {1, 2, 4, 8, 16, 30, 30, 30}) {
    fail(now);
    EXPECT_EQ(due(), now + wait);
    now = due();
  }
  EXPECT_EQ(schedule.failures(), 8U);
  succeed(now);
  EXPECT_EQ(schedule.failures(), 0U);
  EXPECT_EQ(due(), now + 300);
}

TEST_F(Schedule, WithKeysRetriesAreLessFrequent) {
  succeed(0);
  int now = 300;
  for (const int wait : {30, 60, 120, 240, 300, 300}) {
    fail(now);
    EXPECT_EQ(due(), now + wait);
    now = due();
  }
  for (int i = 0; i < 100; ++i) fail(now);
  EXPECT_EQ(due(), now + 300);
}

TEST_F(Schedule, KeysExpireADayAfterTheLastSuccess) {
  EXPECT_EQ(schedule.keys_expire_at(), Time::max());
  succeed(0);
  EXPECT_EQ(schedule.keys_expire_at(), at(24 * 3600));
  fail(300);
  fail(330);
  EXPECT_EQ(schedule.keys_expire_at(), at(24 * 3600));
  schedule.on_keys_expired();
  EXPECT_EQ(schedule.keys_expire_at(), Time::max());
  fail(24 * 3600);
  EXPECT_LE(due(), 24 * 3600 + 30);
  succeed(24 * 3600 + 30);
  EXPECT_EQ(schedule.keys_expire_at(), at(2 * 24 * 3600 + 30));
}

}  // namespace
}  // namespace portail::keys
