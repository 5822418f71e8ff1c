#include <string>

#include <gtest/gtest.h>

#include "native/settings/nearest_name.hpp"

namespace portail {
namespace {

TEST(NearestNameTest, AskFromOneSlipInEachFourLetters) {
  EXPECT_EQ(nearest_setting("isuer"), "; did you mean issuer?");
  EXPECT_EQ(nearest_setting("jkws-efesh"), "");  // three slips in ten letters
  EXPECT_EQ(nearest_setting("jwks-refesh"), "; did you mean jwks-refresh?");
  EXPECT_EQ(nearest_setting("stroe"), "; did you mean store?");  // neighbours that changed places are one slip
  EXPECT_EQ(nearest_setting("stor"), "; did you mean store?");
  EXPECT_EQ(nearest_setting("max_connections"), "; did you mean max-connections?");
  EXPECT_EQ(nearest_setting(""), "");
}

TEST(NearestNameTest, AskAmongOtherNamesToo) {
  const std::string known[] = {"serve", "check"};
  EXPECT_EQ(nearest_of("chekc", known), "; did you mean check?");
  EXPECT_EQ(nearest_of("sevr", known), "");
  EXPECT_EQ(nearest_of("serve", {}), "");
}

TEST(NearestNameTest, TheBeginningOfOneNameAloneIsNear) {
  const std::string known[] = {"--output", "--overwrite", "--root"};
  EXPECT_EQ(nearest_name("--out", known), "--output");
  EXPECT_EQ(nearest_name("--o", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_variable("PORTAIL_INSECURE"), "; did you mean PORTAIL_INSECURE_HTTP?");
  EXPECT_EQ(nearest_setting("jwks-max"), "; did you mean jwks-max-age?");
}

TEST(NearestNameTest, TheNearestWins) {
  EXPECT_EQ(nearest_setting("jwks-max-aged"), "; did you mean jwks-max-age?");
  EXPECT_EQ(nearest_variable("PORTAIL_TLS_KEI"), "; did you mean PORTAIL_TLS_KEY?");
}

TEST(NearestNameTest, NothingIsOfferedThatCannotBeMeant) {
  EXPECT_EQ(nearest_setting("confi"), "");      // is no name of the file
  EXPECT_EQ(nearest_setting("jwks-paus"), "");  // hidden
  EXPECT_EQ(nearest_variable("PORTAIL_"), "");
  EXPECT_EQ(nearest_variable(std::string(100'000, 'P')), "");
}

}  // namespace
}  // namespace portail
