#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view capital_digits = "0123456789ABCDEF";

void append(std::string& out, std::span<const std::byte> bytes, std::string_view digits) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + 2 * bytes.size(), [&](char* data, std::size_t size) {
    char* next = data + before;
    for (const std::byte byte : bytes) {
      const auto value = std::to_integer<std::size_t>(byte);
      *next++ = digits[value >> 4U];
      *next++ = digits[value & 15U];
    }
    return size;
  });
}

}  // namespace

void append_lower_hex(std::string& out, std::byte byte) { append(out, std::span(&byte, 1), lower_digits); }
void append_lower_hex(std::string& out, std::span<const std::byte> bytes) { append(out, bytes, lower_digits); }
void append_capital_hex(std::string& out, std::byte byte) { append(out, std::span(&byte, 1), capital_digits); }

std::string lower_hex(std::span<const std::byte> bytes) {
  std::string hex;
  append_lower_hex(hex, bytes);
  return hex;
}

std::string lower_hex(std::string_view bytes) { return lower_hex(std::as_bytes(std::span(bytes))); }

}  // namespace portail
