// When a key set is fetched, on a clock that the test turns.
#include <gtest/gtest.h>

#include "native/keys/refresh_schedule.hpp"

namespace portail {
namespace {

using std::chrono::seconds, std::chrono::hours;
using Time = RefreshSchedule::Time;

class Schedule : public testing::Test {
 protected:
  // Seconds since the start.
  static Time at(int second) { return Time(hours(1000)) + seconds(second); }
  [[nodiscard]] int due() const {
    return static_cast<int>(std::chrono::duration_cast<seconds>(schedule.due() - at(0)).count());
  }
  void succeed(int second) {
    schedule.began(at(second));
    schedule.succeeded(at(second));
  }
  void fail(int second) {
    schedule.began(at(second));
    schedule.failed(at(second));
  }

  RefreshSchedule schedule{RefreshTimes{}, at(0)};
};

TEST_F(Schedule, FetchesAtOnceAndThenByTheInterval) {
  EXPECT_EQ(due(), 0);
  succeed(0);
  EXPECT_EQ(due(), 300);
  succeed(310);
  EXPECT_EQ(due(), 610);
}

TEST_F(Schedule, WhatSomebodyAsksForIsDueAtOnce) {
  succeed(0);
  schedule.asked(at(5));
  EXPECT_EQ(due(), 5);
  succeed(5);
  EXPECT_EQ(due(), 305);
}

TEST_F(Schedule, WhatSomebodyAsksForDuringAFetchIsDueAfterIt) {
  schedule.began(at(0));
  schedule.asked(at(1));
  schedule.succeeded(at(2));
  EXPECT_EQ(due(), 2);
  schedule.began(at(2));
  schedule.asked(at(3));
  schedule.failed(at(4));
  EXPECT_EQ(due(), 4);
  succeed(4);
  EXPECT_EQ(due(), 304);
}

TEST_F(Schedule, AnUnknownKeyIsLookedForAtMostOnceInThirtySeconds) {
  succeed(0);
  schedule.key_missed(at(10));
  EXPECT_EQ(due(), 30);
  schedule.key_missed(at(20));
  EXPECT_EQ(due(), 30);
  succeed(30);
  EXPECT_EQ(due(), 330);
  schedule.key_missed(at(100));
  EXPECT_EQ(due(), 100);
  succeed(100);
  schedule.key_missed(at(101));
  EXPECT_EQ(due(), 130);
}

TEST_F(Schedule, AlsoWhereFetchesFail) {
  succeed(0);
  for (const int began : {100, 130, 160, 190}) {
    schedule.key_missed(at(began));
    EXPECT_EQ(due(), began);
    fail(began);
    schedule.key_missed(at(began + 1));
    EXPECT_EQ(due(), began + 30);
  }
}

TEST_F(Schedule, AMissedKeyNeverPutsAFetchOff) {
  succeed(0);
  schedule.key_missed(at(299));
  EXPECT_EQ(due(), 299);
  succeed(280);
  EXPECT_EQ(due(), 580);
}

TEST_F(Schedule, WithoutKeysItIsTriedAgainSoon) {
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

TEST_F(Schedule, WithKeysItIsTriedAgainWithMorePatience) {
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

TEST_F(Schedule, KeysCountForADayAfterTheLastAnswer) {
  EXPECT_EQ(schedule.keys_end(), Time::max());
  succeed(0);
  EXPECT_EQ(schedule.keys_end(), at(24 * 3600));
  fail(300);
  fail(330);
  EXPECT_EQ(schedule.keys_end(), at(24 * 3600));
  schedule.keys_ended();
  EXPECT_EQ(schedule.keys_end(), Time::max());
  fail(24 * 3600);
  EXPECT_LE(due(), 24 * 3600 + 30);
  succeed(24 * 3600 + 30);
  EXPECT_EQ(schedule.keys_end(), at(2 * 24 * 3600 + 30));
}

}  // namespace
}  // namespace portail
