#include <string>

#include <gtest/gtest.h>

#include "native/settings/configuration_file.hpp"

namespace portail {
namespace {

TEST(SuggestedSettingTest, SuggestsUpToOneTypoInFourLetters) {
  EXPECT_EQ(suggested_setting("isuer"), "; did you mean issuer?");
  EXPECT_EQ(suggested_setting("jkws-efesh"), "");  // three typos in ten letters
  EXPECT_EQ(suggested_setting("jwks-refesh"), "; did you mean jwks-refresh?");
  EXPECT_EQ(suggested_setting("stroe"), "; did you mean store?");  // swapped neighbours are one typo
  EXPECT_EQ(suggested_setting("stor"), "; did you mean store?");
  EXPECT_EQ(suggested_setting("max_connections"), "; did you mean max-connections?");
  EXPECT_EQ(suggested_setting(""), "");
}

TEST(SuggestedSettingTest, AUniquePrefixIsNear) {
  EXPECT_EQ(suggested_setting("jwks-max"), "; did you mean jwks-max-age?");
}

TEST(SuggestedSettingTest, TheNearestWins) {
  EXPECT_EQ(suggested_setting("jwks-max-aged"), "; did you mean jwks-max-age?");
}

TEST(SuggestedSettingTest, SuggestsNoUnusableName) {
  EXPECT_EQ(suggested_setting("confi"), "");      // the name is not valid in the file
  EXPECT_EQ(suggested_setting("jwks-paus"), "");  // hidden
  EXPECT_EQ(suggested_setting(std::string(100'000, 'p')), "");
}

}  // namespace
}  // namespace portail
