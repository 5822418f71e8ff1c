#include "core/auth/base64url.hpp"

#include <array>

#include <gtest/gtest.h>

namespace portail {
namespace {

using namespace std::string_view_literals;

struct Pair {
  std::string_view bytes, text;
};
constexpr Pair pairs[] = {{"", ""},
                          {"\x00"sv, "AA"},
                          {"\xff", "_w"},
                          {"\x00\x01"sv, "AAE"},
                          {"\xfb\xff", "-_8"},
                          {"\x00\x01\x02"sv, "AAEC"},
                          {"\x00\x01\x02\x03"sv, "AAECAw"},
                          {"Example of Ed25519 signing", "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"}};

TEST(Base64url, EncodesAndDecodes) {
  for (const Pair& pair : pairs) {
    EXPECT_EQ(base64url_encode(pair.bytes), pair.text);
    EXPECT_EQ(base64url_decode(pair.text), pair.bytes);
  }
}

TEST(Base64url, RefusesPadding) {
  for (std::string_view text : {"AA==", "AAE=", "AA=", "="}) EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
}

TEST(Base64url, RefusesTheOtherAlphabet) {
  for (std::string_view text : {"+_8A", "-/8A", "AAE+", "AAE.", "AAé", "AA\xff\x80"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
  EXPECT_EQ(base64url_decode("AA\0A"sv), std::nullopt);
}

TEST(Base64url, HasSixtyFourDigits) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    for (const std::string& text : {std::string{c, 'A', 'A', 'A'}, std::string{'A', c, 'A', 'A', 'A', 'A'}}) {
      EXPECT_EQ(base64url_decode(text).has_value(), alphabet.contains(c)) << byte;
    }
  }
}

TEST(Base64url, RefusesWhiteSpace) {
  for (std::string_view text : {" AA", "AA ", "AA\n", "AA EC", "AAE\n", "\tAAE"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
}

TEST(Base64url, RefusesSpareBits) {
  for (std::string_view text : {"AB", "_x", "AAF", "-_9", "AAECAx"})
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
}

TEST(Base64url, RefusesALoneDigit) {
  for (std::string_view text : {"A", "AAECA"}) EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
}

TEST(Base64url, DecodesIntoABufferThatIsLargeEnough) {
  std::array<std::byte, 3> buffer{};
  const auto filled = base64url_decode("-_8", buffer);
  ASSERT_TRUE(filled.has_value());
  ASSERT_EQ(filled->size(), 2U);
  EXPECT_EQ(buffer[0], std::byte{0xfb});
  EXPECT_EQ(buffer[1], std::byte{0xff});
  EXPECT_TRUE(base64url_decode("AAEC", buffer).has_value());
  EXPECT_FALSE(base64url_decode("AAECAw", buffer).has_value());
}

}  // namespace
}  // namespace portail
