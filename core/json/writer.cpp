#include "core/json/writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "core/json/utf8.hpp"

namespace portail {
namespace {

constexpr bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

constexpr std::uint64_t each(std::uint8_t byte) { return 0x0101010101010101U * byte; }

// Returns whether any of the eight bytes needs an escape, by the usual subtract-and-mask tests for "less than" and
// "equal to".
constexpr bool any_needs_escape(std::uint64_t word) {
  const auto below = [](std::uint64_t bytes, std::uint8_t bound) { return (bytes - each(bound)) & ~bytes; };
  return ((below(word, 0x20) | below(word ^ each('"'), 1) | below(word ^ each('\\'), 1)) & each(0x80)) != 0;
}

// Returns the position of the first byte from `i` on that needs an escape, or the size.
std::size_t find_escape(std::string_view text, std::size_t i) {
  for (std::uint64_t word; text.size() - i >= sizeof word; i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if (any_needs_escape(word)) break;
  }
  while (i < text.size() && !needs_escape(text[i])) ++i;
  return i;
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      append_lower_hex(out, std::byte(c));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view utf8) {
  out += '"';
  for (std::size_t i = 0;;) {
    const std::size_t end = find_escape(utf8, i);
    out.append(utf8.data() + i, end - i);
    if (end == utf8.size()) break;
    append_escape(out, utf8[end]);
    i = end + 1;
  }
  out += '"';
}

std::string json_string(std::string_view utf8) {
  std::string text;
  append_json_string(text, utf8);
  return text;
}

void append_json_integer(std::string& out, std::int64_t value) {
  std::array<char, 20> digits;  // -9223372036854775808
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

std::string log_line(Instant time, std::string_view level, std::string_view members) {
  std::string line;
  line.reserve(members.size() + 80);
  line.append("{\"time\":\"");
  append_utc_text(line, time);
  line.append("\",\"level\":\"").append(level).append("\"");
  append_printable_json(line, members);
  line.append("}");
  return line;
}

void append_log_string(std::string& out, std::string_view value) {
  if (is_valid_utf8(value)) return append_json_string(out, value);
  std::string ascii(value);
  for (char& c : ascii) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  append_json_string(out, ascii);
}

}  // namespace portail
