#include <chrono>

#include <gtest/gtest.h>

#include "native/settings/key_settings.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(KeyPlanTest, AFileIsCheckedEachSecondAndSoonerForAnUnknownKey) {
  SettingValues values;
  values.set(*SettingName("jwks"), {"keys.json"}, SettingSource::flag);
  const auto plan = make_key_plan(values, Transport::direct);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->location, KeySetLocation::file);
  EXPECT_EQ(plan->times.interval, seconds(1));
  EXPECT_EQ(plan->times.min_interval, milliseconds(50));
}

TEST(KeyPlanTest, AUrlIsFetchedAtLongIntervals) {
  SettingValues values;
  values.set(*SettingName("issuer"), {"https://issuer.example"}, SettingSource::flag);
  const auto plan = make_key_plan(values, Transport::direct);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->location, KeySetLocation::network);
  EXPECT_EQ(plan->times.interval, seconds(300));
  EXPECT_EQ(plan->times.min_interval, seconds(30));
}

}  // namespace
}  // namespace portail
