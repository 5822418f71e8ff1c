// Splits UTF-8 into characters. Pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portail {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;  // in bytes; 0: not UTF-8
};

// Returns the first character of a text that is not empty (RFC 3629 section 3).
constexpr Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7fU >> size);
  for (const char next : text.substr(1, size - 1)) {
    if ((static_cast<unsigned char>(next) & 0xc0U) != 0x80) return {};
    code = code << 6 | (static_cast<unsigned char>(next) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> min_code = {0, 0, 0x80, 0x800, 0x10000};
  if (code < min_code[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, size};
}

}  // namespace portail
