#include "core/base/text.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace portail {
namespace {

using namespace std::string_view_literals;

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

TEST(Hexadecimal, WritesTwoDigitsAByte) {
  EXPECT_EQ(lower_hex("\x00\x0f\xa5\xff"sv), "000fa5ff");
  EXPECT_EQ(lower_hex(std::array{std::byte{0x7f}, std::byte{0xa1}}), "7fa1");
  EXPECT_EQ(lower_hex(""), "");
  std::string out = "=";
  append_capital_hex(out, std::byte{0xc3});
  append_lower_hex(out, std::byte{0xc3});
  EXPECT_EQ(out, "=C3c3");
}

TEST(Hexadecimal, ReadsDigitsOfEitherCase) {
  EXPECT_EQ(hexadecimal_digit('0'), 0U);
  EXPECT_EQ(hexadecimal_digit('9'), 9U);
  EXPECT_EQ(hexadecimal_digit('a'), 10U);
  EXPECT_EQ(hexadecimal_digit('F'), 15U);
  for (const char c : {'/', ':', '@', 'G', '`', 'g', ' ', '\0', '\xe1'}) EXPECT_EQ(hexadecimal_digit(c), std::nullopt);
}

std::string utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  const auto next = [code](unsigned shift) { return static_cast<char>(0x80 | (code >> shift & 0x3fU)); };
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), next(0)};
  return {static_cast<char>(0xe0 | code >> 12), next(6), next(0)};
}

// The first and the last of each kind: C0, DEL and C1, the directions of text, the separators of lines.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> hostile = {
    {{0x00, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}};

TEST(Printable, TextStaysAsItIs) {
  for (const char* text :
       {"", "modèle cni.pdf, 12 €", "a b", "\xc2\xa0", "\xd8\x9b\xd8\x9d", "日本語", "\xf0\x9f\x98\x80",
        "\xe2\x80\x8d\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x81\xa5\xe2\x81\xaa", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_json(text), text);
  }
}

TEST(Printable, ControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a?b??c");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "?[2J?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J"),
            "a?2J");
  EXPECT_EQ(printable("invoice\xe2\x80\xae"
                      "fdp.exe"),
            "invoice?fdp.exe");
}

TEST(Printable, EveryHostileCharacterOfEveryKind) {
  int seen = 0;
  for (const auto& [first, last] : hostile) {
    for (std::uint32_t code = first; code <= last; ++code, ++seen) {
      EXPECT_EQ(printable("é" + utf8(code) + "z"), "é?z") << code;
    }
  }
  EXPECT_EQ(seen, 32 + 33 + 1 + 2 + 7 + 4);
}

TEST(Printable, BytesThatAreNoUtf8BecomeQuestionMarks) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "?2J");
  EXPECT_EQ(printable("\xc2"), "?");
  EXPECT_EQ(printable("\xe2\x80"), "??");
  EXPECT_EQ(printable("\xc0\x9b"), "??");            // overlong
  EXPECT_EQ(printable("\xe0\x82\x9b"), "???");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(printable("\xff\x41\xc2\x41"), "?A?A");
}

TEST(Printable, JsonKeepsItsValue) {
  EXPECT_EQ(printable_json(R"({"a":"é)" + utf8(0x9b) + utf8(0x7f) + utf8(0x202e) + R"("})"),
            R"({"a":"é\u009b\u007f\u202e"})");
  EXPECT_EQ(printable_json("\"\x9b\""), "\"?\"");
}

}  // namespace
}  // namespace portail
