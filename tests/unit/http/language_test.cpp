#include <gtest/gtest.h>

#include "core/http/header_fields.hpp"
#include "tests/unit/http/header_request.hpp"

namespace portail {
namespace {

std::string_view preferred(std::string_view value) {
  return language_tag(preferred_language(HeaderRequest{{"accept-language", value}}));
}

TEST(PreferredLanguage, IsFrenchWhereItIsPreferred) {
  for (const auto value : {"fr", "FR", "fr-CA", "fr-FR, en;q=0.9", "en;q=0.8, fr;q=0.9", "de, fr", "en;q=0, *",
                           "de, fr;q=0.1", "fr;q=1.000, en;q=0.999", "fr, en", "fr , *;q=0.5", "*, fr",
                           "en-US;q=0.5,fr-BE;q=0.7", "en;q=0.5, fr;Q=0.6", "en;q=0, fr;q=0.001"}) {
    EXPECT_EQ(preferred(value), "fr") << value;
  }
}

TEST(PreferredLanguage, IsEnglishOtherwise) {
  for (const auto value : {"", "en", "en-GB, fr", "de", "*", "fr;q=0", "fr;q=0, *", "en, fr", "fr;q=0.3, *;q=0.8",
                           "fr;q=0.5, en;q=0.6", "fro", "french", "fr_FR", "en;q=0, fr;q=0", "de;q=1, *;q=0.1"}) {
    EXPECT_EQ(preferred(value), "en") << value;
  }
}

TEST(PreferredLanguage, IgnoresMalformedRanges) {
  for (const auto value : {"fr;q=2", "fr;q=1.001", "fr;q=abc", "fr;q=", "fr;q=0.1234", "fr;q=-1", "fr;x=1", "fr;",
                           "fr;q=1;q=0", "fr;q=.5"}) {
    EXPECT_EQ(preferred(value), "en") << value;
  }
  EXPECT_EQ(preferred("fr;q=0.5, en;q=x"), "fr");
}

TEST(PreferredLanguage, JoinsRepeatedHeaders) {
  EXPECT_EQ(preferred_language(HeaderRequest{{"Accept-Language", "en;q=0.5"}, {"Accept-Language", "fr"}}),
            Language::french);
  EXPECT_EQ(preferred_language(HeaderRequest{{"Accept-Language", "en"}, {"Accept-Language", "fr"}}), Language::english);
  EXPECT_EQ(preferred_language(HeaderRequest{}), Language::english);
}

}  // namespace
}  // namespace portail
