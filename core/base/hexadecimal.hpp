// Bytes as hexadecimal digits, two a byte. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {

// Returns the value of a digit of either case, or nullopt if `c` is not a digit.
constexpr std::optional<unsigned> hexadecimal_digit(char c) {
  if (is_ascii_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = to_lower_ascii(c);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

void append_lower_hex(std::string& out, std::byte byte);
void append_lower_hex(std::string& out, std::span<const std::byte> bytes);
void append_capital_hex(std::string& out, std::byte byte);

[[nodiscard]] std::string lower_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string lower_hex(std::string_view bytes);

}  // namespace portail
