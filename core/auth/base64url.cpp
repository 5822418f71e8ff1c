#include "core/auth/base64url.hpp"

#include <algorithm>

#include <sodium.h>

namespace portail {
namespace {

constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

// Returns the maximum bytes that `size` characters can encode.
constexpr std::size_t max_decoded_size(std::size_t size) { return size / 4 * 3 + size % 4; }

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

}  // namespace

std::optional<std::span<const std::byte>> base64url_decode(std::string_view text, std::span<std::byte> buffer) {
  // libsodium's decoder is correct for ASCII only: it accepts other bytes as digits.
  if (!std::ranges::all_of(text, is_ascii)) return std::nullopt;
  std::size_t size = 0;
  // Without a pointer for the end position, libsodium rejects text that it does not decode completely.
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(buffer.data()), buffer.size(), text.data(), text.size(),
                        nullptr, &size, nullptr, variant) != 0) {
    return std::nullopt;
  }
  return buffer.first(size);
}

std::optional<std::string> base64url_decode(std::string_view text) {
  std::string bytes(max_decoded_size(text.size()), '\0');
  const auto decoded = base64url_decode(text, std::as_writable_bytes(std::span(bytes)));
  if (!decoded) return std::nullopt;
  bytes.resize(decoded->size());
  return bytes;
}

std::string base64url_encode(std::span<const std::byte> bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    variant);
  text.pop_back();  // the zero that libsodium ends it with
  return text;
}

std::string base64url_encode(std::string_view bytes) { return base64url_encode(std::as_bytes(std::span(bytes))); }

}  // namespace portail
