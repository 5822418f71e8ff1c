#include "core/auth/base64url.hpp"

#include <array>
#include <cstdint>

namespace portail {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Beyond the alphabet.
constexpr std::uint32_t no_digit = 0x80;

constexpr std::array<std::uint8_t, 256> digits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

std::uint32_t digit(char c) { return digits[static_cast<unsigned char>(c)]; }

std::size_t decoded_size(std::size_t text_size) {
  return text_size / 4 * 3 + (text_size % 4 == 0 ? 0 : text_size % 4 - 1);
}

// `out` has room for decoded_size bytes.
bool decode(std::string_view text, std::byte* out) {
  const std::size_t tail = text.size() % 4;
  if (tail == 1) return false;
  std::uint32_t seen = 0;  // every digit, or'ed
  std::size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const std::uint32_t a = digit(text[i]), b = digit(text[i + 1]), c = digit(text[i + 2]), d = digit(text[i + 3]);
    seen |= a | b | c | d;
    *out++ = static_cast<std::byte>(a << 2U | b >> 4U);
    *out++ = static_cast<std::byte>(b << 4U | c >> 2U);
    *out++ = static_cast<std::byte>(c << 6U | d);
  }
  if (tail != 0) {
    const std::uint32_t a = digit(text[i]), b = digit(text[i + 1]), c = tail == 3 ? digit(text[i + 2]) : 0;
    seen |= a | b | c;
    const std::uint32_t spare_bits = tail == 3 ? c & 3U : b & 15U;
    if (spare_bits != 0) return false;
    *out++ = static_cast<std::byte>(a << 2U | b >> 4U);
    if (tail == 3) *out = static_cast<std::byte>(b << 4U | c >> 2U);
  }
  return (seen & no_digit) == 0;
}

}  // namespace

std::optional<std::string> base64url_decode(std::string_view text) {
  std::string bytes(decoded_size(text.size()), '\0');
  if (!decode(text, reinterpret_cast<std::byte*>(bytes.data()))) return std::nullopt;
  return bytes;
}

std::optional<std::span<const std::byte>> base64url_decode(std::string_view text, std::span<std::byte> buffer) {
  const std::size_t size = decoded_size(text.size());
  if (size > buffer.size() || !decode(text, buffer.data())) return std::nullopt;
  return buffer.first(size);
}

std::string base64url_encode(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (j < count ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j <= count; ++j) text += alphabet[group >> (18 - 6 * j) & 63U];
  }
  return text;
}

std::string base64url_encode(std::string_view bytes) { return base64url_encode(std::as_bytes(std::span(bytes))); }

}  // namespace portail
