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

TEST(Text, TakesWellFormedUtf8) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("Prêt immobilier, 100 €, 𝄞"));
  EXPECT_TRUE(is_valid_utf8(std::string_view("\0", 1)));
  EXPECT_TRUE(is_valid_utf8("\xed\x9f\xbf"));      // U+D7FF
  EXPECT_TRUE(is_valid_utf8("\xee\x80\x80"));      // U+E000
  EXPECT_TRUE(is_valid_utf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
}

TEST(Text, RefusesWhatIsNotUtf8) {
  EXPECT_FALSE(is_valid_utf8("\x80"));              // a continuation alone
  EXPECT_FALSE(is_valid_utf8("caf\xe9"));           // ISO 8859-1
  EXPECT_FALSE(is_valid_utf8("\xc3"));              // cut off
  EXPECT_FALSE(is_valid_utf8("\xe2\x82"));          // cut off
  EXPECT_FALSE(is_valid_utf8("\xe2\x82x"));         // cut off by another character
  EXPECT_FALSE(is_valid_utf8("\xc0\xaf"));          // overlong
  EXPECT_FALSE(is_valid_utf8("\xe0\x80\xaf"));      // overlong
  EXPECT_FALSE(is_valid_utf8("\xf0\x80\x80\xaf"));  // overlong
  EXPECT_FALSE(is_valid_utf8("\xed\xa0\x80"));      // U+D800, a surrogate
  EXPECT_FALSE(is_valid_utf8("\xf4\x90\x80\x80"));  // U+110000
  EXPECT_FALSE(is_valid_utf8("\xf8\x88\x80\x80\x80"));
  EXPECT_FALSE(is_valid_utf8("\xff"));
}

}  // namespace
}  // namespace portail
