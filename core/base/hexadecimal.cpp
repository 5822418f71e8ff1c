#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

void append(std::string& out, std::byte byte, std::string_view digits) {
  const auto value = std::to_integer<std::size_t>(byte);
  out += digits[value >> 4U];
  out += digits[value & 15U];
}

}  // namespace

void append_lower_hex(std::string& out, std::byte byte) { append(out, byte, "0123456789abcdef"); }
void append_capital_hex(std::string& out, std::byte byte) { append(out, byte, "0123456789ABCDEF"); }

std::string lower_hex(std::span<const std::byte> bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) append_lower_hex(hex, byte);
  return hex;
}

std::string lower_hex(std::string_view bytes) { return lower_hex(std::as_bytes(std::span(bytes))); }

}  // namespace portail
