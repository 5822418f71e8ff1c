// Functions on text that several modules share: ASCII case, decimal and hexadecimal digits, splitting, UTF-8, printable
// text. Pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portail {

constexpr char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_visible_ascii(char c) { return c > ' ' && c < '\x7f'; }
constexpr bool is_ascii_letter(char c) { return to_lower_ascii(c) >= 'a' && to_lower_ascii(c) <= 'z'; }

// Returns the text with ASCII letters in lower case; other bytes stay.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower_ascii(c);
  return lower;
}

// Compares without regard to ASCII case; bytes beyond ASCII must be equal.
constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower_ascii(a[i]) != to_lower_ascii(b[i])) return false;
  }
  return true;
}

// Returns a view of `text` without the characters of `set` at both ends. Default: HTTP's optional white space (RFC 9110
// section 5.6.3).
constexpr std::string_view trimmed(std::string_view text, std::string_view set = " \t") {
  const auto first = text.find_first_not_of(set);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(set) - first + 1);
}

// Appends the parts, with at most one allocation.
inline void append_all(std::string& out, std::initializer_list<std::string_view> parts) {
  const std::size_t before = out.size();
  std::size_t size = before;
  for (const std::string_view part : parts) size += part.size();
  out.resize_and_overwrite(size, [&](char* data, std::size_t) {
    char* next = data + before;
    for (const std::string_view part : parts) next += part.copy(next, part.size());
    return size;
  });
}

// Returns the length of the longest prefix of `text` that is printable ASCII (space included). Checks eight bytes at a
// time, since most text is ASCII only.
inline std::size_t count_printable_ascii(std::string_view text) {
  constexpr std::uint64_t each = 0x0101010101010101U;
  std::size_t count = 0;
  for (std::uint64_t word = 0; text.size() - count >= sizeof word; count += sizeof word) {
    std::memcpy(&word, text.data() + count, sizeof word);
    const std::uint64_t below_space = word - each * ' ';
    const std::uint64_t beyond_tilde = word + each;
    if (((word | below_space | beyond_tilde) & each * 0x80U) != 0) break;
  }
  while (count < text.size() && text[count] >= ' ' && text[count] <= '~') ++count;
  return count;
}

// Removes the next part from `rest`, with the separator after it, and returns the part: up to `separator`, or up to the
// end. Quotes are not interpreted.
constexpr std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

// Splits UTF-8 into characters.

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

// Bytes as hexadecimal digits, two a byte.

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

// Escapes untrusted text for one line of a terminal or a log. Not printable are: control characters (C0 and C1), the
// line and paragraph separators, and the characters that control the direction of text.

// Returns `text` with ? for each such character, and for each byte that is not UTF-8.
std::string printable(std::string_view text);

// The same for one line of JSON, with \u009b for such a character, so that the value is unchanged.
std::string printable_json(std::string_view line);
void append_printable_json(std::string& out, std::string_view line);

}  // namespace portail
