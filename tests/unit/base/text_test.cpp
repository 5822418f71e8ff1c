#include "core/base/text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(Text, ComparesWithoutRegardToAsciiCase) {
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));  // differ by 0x20, and are not letters
  EXPECT_FALSE(equals_ignoring_case("É", "é"));
}

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\"a\"", "\""), "a");
}

TEST(Text, AppendsPartsInTheirOrder) {
  std::string out = "a";
  append_all(out, {"b", "", std::string(100, 'c'), {}, "d"});
  EXPECT_EQ(out, "ab" + std::string(100, 'c') + "d");
  append_all(out, {});
  EXPECT_EQ(out.size(), 103U);
}

// At each position of the eight bytes that are checked together, and after them.
TEST(Text, CountsPrintableAsciiUpToTheFirstOther) {
  EXPECT_EQ(count_printable_ascii(""), 0U);
  EXPECT_EQ(count_printable_ascii(" ~ printable, to its end: {\"a\":1}"), 33U);
  for (std::size_t position = 0; position < 19; ++position) {
    for (const char other : {'\0', '\t', '\x1f', '\x7f', '\x80', '\xc3', '\xff'}) {
      std::string text(19, '~');
      text[position] = other;
      EXPECT_EQ(count_printable_ascii(text), position) << static_cast<int>(other);
      text.append(19, ' ');
      EXPECT_EQ(count_printable_ascii(text), position) << static_cast<int>(other);
    }
  }
}

TEST(Text, TakeUntilReturnsThePartBeforeTheSeparator) {
  std::string_view rest = "a,\"b,\"";
  EXPECT_EQ(take_until(rest, ','), "a");
  EXPECT_EQ(take_until(rest, ','), "\"b");
  EXPECT_EQ(take_until(rest, ','), "\"");
  EXPECT_EQ(rest, "");
}

}  // namespace
}  // namespace portail
