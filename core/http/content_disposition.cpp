#include "core/http/content_disposition.hpp"

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
constexpr bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '%'; }

// attr-char, RFC 8187 section 3.2.1.
constexpr bool is_attribute_character(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("!#$&+-.^_`|~").contains(c);
}

}  // namespace

std::string attachment_header(std::string_view file_name) {
  std::string header = "attachment; filename=\"";
  for (const char c : file_name) {
    if (!is_utf8_continuation(c)) header += is_plain(c) ? c : '_';
  }
  header += "\"; filename*=UTF-8''";
  for (const char c : file_name) {
    if (is_attribute_character(c)) {
      header += c;
    } else {
      header += '%';
      append_capital_hex(header, std::byte(c));
    }
  }
  return header;
}

}  // namespace portail
