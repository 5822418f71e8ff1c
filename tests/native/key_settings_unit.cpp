#include <chrono>

#include <gtest/gtest.h>

#include "native/settings/key_settings.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(KeyPlanTest, AFileIsLookedAtOftenAndForAnUnknownKeyAlmostAtOnce) {
  SettingValues values;
  values.give(*SettingName("jwks"), {"keys.json"}, SettingSource::flag);
  const auto plan = make_key_plan(values);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->place, KeyPlace::file);
  EXPECT_EQ(plan->times.interval, seconds(1));
  EXPECT_EQ(plan->times.pause, milliseconds(50));
}

TEST(KeyPlanTest, ASetFromTheNetworkIsFetchedSeldom) {
  SettingValues values;
  values.give(*SettingName("issuer"), {"https://issuer.example"}, SettingSource::flag);
  const auto plan = make_key_plan(values);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->place, KeyPlace::network);
  EXPECT_EQ(plan->times.interval, seconds(300));
  EXPECT_EQ(plan->times.pause, seconds(30));
}

}  // namespace
}  // namespace portail
