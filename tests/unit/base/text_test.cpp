#include "core/base/text.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(Text, ComparesWithoutRegardToAsciiCase) {
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));  // differ by 0x20, and are no letters
  EXPECT_FALSE(equals_ignoring_case("É", "é"));
}

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\"a\"", "\""), "a");
}

TEST(Text, TakesPartsUpToTheSeparator) {
  std::string_view rest = "a,\"b,\"";
  EXPECT_EQ(take_until(rest, ','), "a");
  EXPECT_EQ(take_until(rest, ','), "\"b");
  EXPECT_EQ(take_until(rest, ','), "\"");
  EXPECT_EQ(rest, "");
}

}  // namespace
}  // namespace portail
