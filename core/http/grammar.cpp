#include "core/http/grammar.hpp"

#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

// Whether the text has the characters of a reg-name or address (RFC 3986 section 3.2.2); brackets for IPv6 only.
bool is_uri_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (text.size() < 3 || !text.ends_with(']')) return false;
    return std::ranges::all_of(text.substr(1, text.size() - 2),
                               [](char c) { return hexadecimal_digit(c) || std::string_view(":.").contains(c); });
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("-._~!$&'()*+,;=").contains(c)) continue;
    if (c != '%' || i + 2 >= text.size() || !hexadecimal_digit(text[i + 1]) || !hexadecimal_digit(text[i + 2]))
      return false;
    i += 2;
  }
  return true;
}

}  // namespace

bool is_host_and_port(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : 0;
  const std::size_t colon = end == std::string_view::npos ? end : text.find(':', end);
  if (colon == std::string_view::npos) return is_uri_host(text);
  return is_uri_host(text.substr(0, colon)) && std::ranges::all_of(text.substr(colon + 1), is_ascii_digit);
}

std::optional<std::string> parameter_value(std::string_view text) {
  if (is_token(text)) return std::string(text);
  if (!text.starts_with('"')) return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? std::optional(value) : std::nullopt;
    if (text[i] == '\\' && ++i == text.size()) break;
    value += text[i];
  }
  return std::nullopt;
}

}  // namespace portail
