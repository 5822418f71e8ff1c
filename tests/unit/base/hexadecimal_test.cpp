#include "core/base/hexadecimal.hpp"

#include <array>

#include <gtest/gtest.h>

namespace portail {
namespace {

using namespace std::string_view_literals;

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

}  // namespace
}  // namespace portail
