#include "core/json/utf8.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(Utf8, AcceptsWellFormedText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8({}));
  EXPECT_TRUE(is_valid_utf8("Prêt immobilier, 100 €, 𝄞"));
  EXPECT_TRUE(is_valid_utf8(std::string_view("\0", 1)));
  EXPECT_TRUE(is_valid_utf8("\xed\x9f\xbf"));      // U+D7FF
  EXPECT_TRUE(is_valid_utf8("\xee\x80\x80"));      // U+E000
  EXPECT_TRUE(is_valid_utf8("\xf4\x8f\xbf\xbf"));  // U+10FFFF
}

TEST(Utf8, RefusesMalformedText) {
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
