#include <chrono>

#include <gtest/gtest.h>

#include "native/settings/key_settings.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(KeyPlanTest, AFileIsLookedAtOftenAndForAnUnknownKeyAlmostAtOnce) {
  KeySettings settings;
  settings.jwks = "keys.json";
  const auto plan = make_key_plan(settings, "https://issuer.example");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->place, KeyPlace::file);
  EXPECT_EQ(plan->times.interval, seconds(1));
  EXPECT_EQ(plan->times.pause, milliseconds(50));
}

TEST(KeyPlanTest, ASetFromTheNetworkIsFetchedSeldom) {
  const auto plan = make_key_plan({}, "https://issuer.example");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->place, KeyPlace::network);
  EXPECT_EQ(plan->times.interval, seconds(300));
  EXPECT_EQ(plan->times.pause, seconds(30));
}

}  // namespace
}  // namespace portail
