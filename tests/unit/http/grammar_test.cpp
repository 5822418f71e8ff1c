#include <vector>

#include <gtest/gtest.h>

#include "core/http/header_fields.hpp"

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

}  // namespace
}  // namespace portail
