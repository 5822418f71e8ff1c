#include "core/base/text.hpp"

#include <algorithm>

namespace portail {
namespace {

// Of hexadecimal numbers.
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

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode's general categories Cc, Zl and Zp, and its property Bidi_Control.
constexpr std::array<Range, 6> not_printable = {Range{0x00, 0x1f},     Range{0x7f, 0x9f},     Range{0x61c, 0x61c},
                                                Range{0x200e, 0x200f}, Range{0x2028, 0x202e}, Range{0x2066, 0x2069}};

// Appends `text`; for each character that is not printable calls replace(safe, code) instead.
template <class Replace>
void append_replaced(std::string& out, std::string_view text, Replace replace) {
  while (true) {
    const std::size_t prefix = count_printable_ascii(text);
    out.append(text.substr(0, prefix));
    text.remove_prefix(prefix);
    if (text.empty()) return;
    const Character character = first_character(text);
    const std::size_t size = std::max<std::size_t>(character.size, 1);
    if (character.size == 0) {
      out += '?';
    } else if (std::ranges::any_of(not_printable, [&character](Range range) {
                 return range.first <= character.code && character.code <= range.last;
               })) {
      replace(out, character.code);
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
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

std::string printable(std::string_view text) {
  std::string safe;
  append_replaced(safe, text, [](std::string& out, std::uint32_t) { out += '?'; });
  return safe;
}

std::string printable_json(std::string_view line) {
  std::string safe;
  append_printable_json(safe, line);
  return safe;
}

void append_printable_json(std::string& out, std::string_view line) {
  append_replaced(out, line, [](std::string& safe, std::uint32_t code) {
    safe += "\\u";
    append_lower_hex(safe, static_cast<std::byte>(code >> 8U));
    append_lower_hex(safe, static_cast<std::byte>(code));
  });
}

}  // namespace portail
