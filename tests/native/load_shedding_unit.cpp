#include <gtest/gtest.h>

#include "native/server/load_shedding.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;

class LoadSheddingTest : public testing::Test {
 protected:
  static constexpr bool leaves_some = false;
  static constexpr bool leaves_none = true;

  static LoadShedding::Time at(int when) { return LoadShedding::Time{} + std::chrono::hours{1} + milliseconds(when); }
  void take(int waited, bool leaves, int when) { load.taken(milliseconds(waited), leaves, at(when)); }
  [[nodiscard]] bool sheds(int waited, int when) const { return load.sheds(milliseconds(waited), at(when)); }

  LoadShedding load{milliseconds(40)};
};

TEST_F(LoadSheddingTest, TakesEverythingAtFirst) {
  EXPECT_FALSE(sheds(0, 0));
  EXPECT_FALSE(sheds(1000, 1000));
}

TEST_F(LoadSheddingTest, TakesABurst) {
  take(21, leaves_some, 0);
  take(90, leaves_some, 99);
  EXPECT_FALSE(sheds(90, 99));
}

TEST_F(LoadSheddingTest, ShedsWhatWaitedLongerThanTheLimitOnceTheQueueHasNotEmptiedForAnInterval) {
  take(21, leaves_some, 0);
  take(41, leaves_some, 100);
  EXPECT_TRUE(sheds(41, 100));
  EXPECT_FALSE(sheds(40, 100));
  EXPECT_FALSE(sheds(0, 100));
}

TEST_F(LoadSheddingTest, HalfOfTheLimitIsNoOverload) {
  for (int when = 0; when < 300; when += 20) take(20, leaves_some, when);
  take(41, leaves_some, 300);
  EXPECT_FALSE(sheds(41, 399));
  EXPECT_TRUE(sheds(41, 400));
}

TEST_F(LoadSheddingTest, WhoDidNotWaitLongDoesNotEndIt) {
  take(50, leaves_some, 0);
  take(1, leaves_some, 50);
  take(41, leaves_some, 100);
  EXPECT_TRUE(sheds(41, 100));
}

TEST_F(LoadSheddingTest, AnEmptyQueueEndsItAtOnce) {
  take(50, leaves_some, 0);
  take(50, leaves_some, 150);
  EXPECT_TRUE(sheds(50, 150));
  take(45, leaves_none, 151);
  EXPECT_FALSE(sheds(50, 151));
  // The next burst has an interval of its own.
  take(50, leaves_some, 160);
  EXPECT_FALSE(sheds(50, 259));
  EXPECT_TRUE(sheds(50, 260));
}

TEST_F(LoadSheddingTest, KnowsHowLongTheLastHadWaited) {
  EXPECT_EQ(load.delay(), milliseconds(0));
  take(50, leaves_some, 0);
  take(3, leaves_none, 1);
  EXPECT_EQ(load.delay(), milliseconds(3));
}

TEST_F(LoadSheddingTest, CountsWhatWasShed) {
  load.count();
  load.count();
  EXPECT_EQ(load.shed(), 2u);
}

TEST(LoadShedding, CanBeTurnedOff) {
  LoadShedding load(milliseconds(0));
  const LoadShedding::Time begin = LoadShedding::Time{} + std::chrono::hours{1};
  load.taken(std::chrono::seconds(1), false, begin);
  EXPECT_FALSE(load.sheds(std::chrono::seconds(1), begin + std::chrono::seconds(1)));
}

}  // namespace
}  // namespace portail
