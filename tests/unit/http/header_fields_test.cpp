#include "core/http/header_fields.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

using Items = std::vector<std::string_view>;

Items items(std::string_view text, char separator) {
  Items found;
  while (!text.empty()) found.push_back(take_item(text, separator));
  return found;
}

TEST(Token, IsMadeOfItsCharactersOnly) {
  EXPECT_TRUE(is_token("Aa09!#$%&'*+-.^_`|~"));
  for (const auto text : {"", "a b", "a,b", "a\"", "(a)", "a/b", "a:b", "a=b", "caf\xc3\xa9", "a\x7f", "\t"}) {
    EXPECT_FALSE(is_token(text)) << text;
  }
}

TEST(TakeItem, TakesItemsWithoutTheWhiteSpaceAroundThem) {
  EXPECT_EQ(items("a, b\t,c", ','), (Items{"a", "b", "c"}));
  EXPECT_EQ(items(",a,,b,", ','), (Items{"", "a", "", "b"}));
  EXPECT_EQ(items("a;b=c, d", ';'), (Items{"a", "b=c, d"}));
}

TEST(TakeItem, DoesNotSplitQuotedStrings) {
  EXPECT_EQ(items(R"(a="b,c", d)", ','), (Items{R"(a="b,c")", "d"}));
  EXPECT_EQ(items(R"("a\",b",c)", ','), (Items{R"("a\",b")", "c"}));
  EXPECT_EQ(items(R"(a\,"b")", ','), (Items{R"(a\)", R"("b")"}));
  EXPECT_EQ(items(R"(a="b,c)", ','), (Items{R"(a="b,c)"}));
  EXPECT_EQ(items(R"("a\)", ','), (Items{R"("a\)"}));
}

TEST(ParameterValue, IsATokenOrAQuotedString) {
  EXPECT_EQ(parameter_value("utf-8"), "utf-8");
  EXPECT_EQ(parameter_value(R"("utf-8")"), "utf-8");
  EXPECT_EQ(parameter_value(R"("a\"b\\c;d")"), R"(a"b\c;d)");
  EXPECT_EQ(parameter_value(R"("")"), "");
  for (const auto text : {"", "a b", "\"", "\"a", "\"a\"b", R"("a\)", R"("a\")", "a\"b\""}) {
    EXPECT_EQ(parameter_value(text), std::nullopt) << text;
  }
}

TEST(ListHeader, JoinsTheLinesOfOneName) {
  std::vector<std::string_view> members;
  const HeaderRequest request{{"Accept", "a, b"}, {"Other", "x"}, {"accept", "c"}};
  const Request& view = request;
  for_each_member(view.headers, "Accept", [&](std::string_view member) { members.push_back(member); });
  EXPECT_EQ(members, (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(ListHeader, GivesEachPreferenceItsWeight) {
  std::vector<std::pair<std::string_view, std::optional<int>>> preferences;
  for_each_preference(
      HeaderRequest{{"Accept", "a;q=0.25 , b,c ;q=x"}}, "Accept",
      [&](std::string_view range, std::optional<int> weight) { preferences.emplace_back(range, weight); });
  EXPECT_EQ(preferences, (decltype(preferences){{"a", 250}, {"b", 1000}, {"c", std::nullopt}}));
}

TEST(Weight, IsInThousandths) {
  EXPECT_EQ(weight(""), 1000);
  EXPECT_EQ(weight(";q=1"), 1000);
  EXPECT_EQ(weight("; Q=0.5"), 500);
  EXPECT_EQ(weight(";q=0.001"), 1);
  EXPECT_EQ(weight(";q=1.000 "), 1000);
  EXPECT_EQ(weight(";q=0."), 0);
  EXPECT_EQ(weight(";q=0"), 0);
}

TEST(Weight, IsAbsentIfMalformed) {
  for (const auto parameters : {";", ";q", ";q=", ";q=2", ";q=15", ";q=1.001", ";q=0.1234", ";q=-1", ";q=.5", ";q=0,5",
                                ";q = 1", ";x=1", ";q=1;q=1"}) {
    EXPECT_EQ(weight(parameters), std::nullopt) << parameters;
  }
}

bool is_json(std::string_view value) { return has_json_content_type(HeaderRequest{{"content-type", value}}); }

TEST(ContentType, AcceptsJson) {
  for (const auto value :
       {"application/json", "Application/JSON", "text/json", "application/merge-patch+json", "application/vnd.a+json",
        "application/json;charset=utf-8", "application/json ; charset=\"UTF-8\"",
        "application/json; Charset=Utf-8; v=1", "application/json; v=\"a;b \\\"c\"; charset=utf-8", "application/json;",
        "text/json;;", "application/json; charset=\"utf\\-8\"", "application/json; charset=utf8",
        "application/json;charset=UTF8", "text/json; charset=\"utf8\"",
        "application/json; charset=utf-8; charset=utf8"}) {
    EXPECT_TRUE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesOtherTypes) {
  for (const auto value : {"", "json", "text/plain", "application/xml", "application/+json", "text/a+json",
                           "application/jsonp", "application/json5", "application/x-www-form-urlencoded", "*/*",
                           "application/*", "multipart/form-data; boundary=json"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesOtherCharsets) {
  for (const auto value : {"application/json; charset=utf-16", "application/json; charset=iso-8859-1",
                           "application/json; charset=utf-8; charset=latin1", "application/json; charset=utf",
                           "application/json; charset=utf88", "application/json; charset=utf_8",
                           "application/json; charset=\"utf-16\"", "text/json;CHARSET=us-ascii"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesMalformedValues) {
  for (const auto value :
       {"application", "application/", "/json", "application /json", "application/json charset=utf-8",
        "application/json; charset", "application/json; charset=", "application/json; charset=\"utf-8",
        "application/json; =utf-8", "application/json, text/json", "application/json; charset=\"\"",
        "application/json; charset = utf-8", "application/json; a=\"\\"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, MustBePresentOnce) {
  EXPECT_FALSE(has_json_content_type(HeaderRequest{}));
  EXPECT_FALSE(
      has_json_content_type(HeaderRequest{{"Content-Type", "application/json"}, {"Content-Type", "application/json"}}));
}

TEST(ContentCoding, IsEverythingButIdentity) {
  EXPECT_FALSE(is_content_coded(HeaderRequest{}));
  EXPECT_FALSE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity"}}));
  EXPECT_FALSE(is_content_coded(HeaderRequest{{"Content-Encoding", ""}, {"content-encoding", "IDENTITY, ,identity"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"content-encoding", "gzip"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity, br"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity"}, {"Content-Encoding", "gzip"}}));
}

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
