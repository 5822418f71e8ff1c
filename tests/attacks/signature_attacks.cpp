// The signature: none, cut, prolonged, moved, mirrored, of something else (RFC 8032 section 5.1.7, RFC 8725 section
// 3.3).
#include <array>
#include <cstddef>

#include "core/auth/base64url.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

// The good token with another signature: raw bytes.
std::string signed_with(std::string_view signature) {
  const std::string token = good_token();
  return token.substr(0, token.rfind('.') + 1) + base64url_encode(signature);
}

std::string good_signature() {
  const std::string token = good_token();
  return base64url_decode(std::string_view(token).substr(token.rfind('.') + 1)).value_or("");
}

std::string with_byte_changed(std::size_t position, char mask) {
  std::string bytes = good_signature();
  bytes[position] = static_cast<char>(bytes[position] ^ mask);
  return bytes;
}

// S + L, little-endian: the same number modulo the order of the group.
std::string mirrored() {
  constexpr std::array<unsigned char, 32> order{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                                0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                                                0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
  std::string bytes = good_signature();
  unsigned carry = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const unsigned sum = static_cast<unsigned char>(bytes[32 + i]) + unsigned{order[i]} + carry;
    bytes[32 + i] = static_cast<char>(sum & 0xffU);
    carry = sum >> 8U;
  }
  return bytes;
}

// An HS256 token with a truncated or extended MAC.
std::string hmac_token(std::size_t size) {
  const std::string token = hs256_token(hmac_secret_bytes(), R"({"alg":"HS256","kid":"test-hs256"})");
  const std::size_t dot = token.rfind('.');
  std::string mac = base64url_decode(std::string_view(token).substr(dot + 1)).value_or("");
  mac.resize(size, '\0');
  return token.substr(0, dot + 1) + base64url_encode(mac);
}

}  // namespace

std::vector<Attack> signature_attacks() {
  using refusal::signature;
  std::vector<Attack> attacks;
  const auto try_signature = [&attacks](std::string_view name, std::string_view bytes, std::string_view answer) {
    attacks.push_back(with_token(name, signed_with(bytes), answer));
  };
  const std::string good = good_signature();
  const std::string r = good.substr(0, 32);
  const std::string s = good.substr(32);
  const std::string neutral = '\x01' + std::string(31, '\0');
  try_signature("a byte", "\x01", signature);
  try_signature("R alone", r, signature);
  try_signature("a byte too short", good.substr(0, 63), signature);
  try_signature("a zero byte too long", good + '\0', signature);
  try_signature("twice", good + good, signature);
  try_signature("448 bytes more", good + std::string(448, 'x'), signature);
  try_signature("449 bytes more", good + std::string(449, 'x'), refusal::signature_encoding);
  try_signature("all zeros", std::string(64, '\0'), signature);
  try_signature("all ones", std::string(64, '\xff'), signature);
  try_signature("S and R swapped", s + r, signature);
  try_signature("the first bit of R", with_byte_changed(0, '\x01'), signature);
  try_signature("the sign bit of R", with_byte_changed(31, '\x80'), signature);
  try_signature("the first bit of S", with_byte_changed(32, '\x01'), signature);
  try_signature("the last bit of S", with_byte_changed(63, '\x80'), signature);
  try_signature("S + L, the same number modulo the order", mirrored(), signature);
  try_signature("R the neutral point, S zero", neutral + std::string(32, '\0'), signature);
  try_signature("R zero, S kept", std::string(32, '\0') + s, signature);
  try_signature("R kept, S zero", r + std::string(32, '\0'), signature);
  try_signature("its own text", base64url_encode(good), signature);
  try_signature("DER around it", std::string("\x03\x41\x00", 3) + good, signature);

  const std::string token = good_token();
  const std::string other = eddsa_token(good_header, claims_with("sub", R"("sub-other")"));
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  attacks.push_back(with_token("of another token", token.substr(0, last) + other.substr(other.rfind('.')), signature));
  attacks.push_back(with_token(
      "other claims under a good signature",
      token.substr(0, first + 1) + base64url_encode(claims_with("sub", R"("sub-other")")) + token.substr(last),
      signature));
  attacks.push_back(with_token("another header under a good signature",
                               base64url_encode(R"({"kid":"test-eddsa","alg":"EdDSA"})") + token.substr(first),
                               signature));
  attacks.push_back(with_token("white space put into the claims",
                               token.substr(0, first + 1) + base64url_encode(' ' + good_claims()) + token.substr(last),
                               signature));
  const std::string empty_header = eddsa_over("", base64url_encode(good_claims()));
  attacks.push_back(with_token("of the claims without the header",
                               token.substr(0, last) + empty_header.substr(empty_header.rfind('.')), signature));
  attacks.push_back(with_token("half a MAC", hmac_token(16), signature));
  attacks.push_back(with_token("a MAC of 31 bytes", hmac_token(31), signature));
  attacks.push_back(with_token("a MAC of 33 bytes", hmac_token(33), signature));
  attacks.push_back(with_token("a MAC", hmac_token(32), accepted));
  try_signature("the signature", good, accepted);
  return attacks;
}

}  // namespace portail
