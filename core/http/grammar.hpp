// Rules of HTTP's grammar (RFC 9110 section 5.6) that several header fields share. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {

// tchar, RFC 9110 section 5.6.2: a lookup table, since every byte of a header's name is checked.
inline constexpr auto token_characters = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = 0; c < 128; ++c) {
    const auto character = static_cast<char>(c);
    table[c] = is_ascii_letter(character) || is_ascii_digit(character) ||
               std::string_view("!#$%&'*+-.^_`|~").contains(character);
  }
  return table;
}();

constexpr bool is_token_character(char c) { return token_characters[static_cast<unsigned char>(c)]; }
constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

// Removes the next item from a list (`,`) or from parameters (`;`), with the separator after it, and returns the item
// without white space around it. A separator within a quoted string is text. An unterminated string extends to the end.
constexpr std::string_view take_item(std::string_view& rest, char separator) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_quoted || rest[end] != separator); ++end) {
    if (rest[end] == '"') is_quoted = !is_quoted;
    if (is_quoted && rest[end] == '\\') ++end;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(item);
}

// Returns whether the text is uri-host [ ":" port ] (RFC 9110 section 7.2); an empty host is one.
bool is_host_and_port(std::string_view text);

// Returns the value of a parameter (RFC 9110 section 5.6.6): a token, or a quoted string without its quotes and
// escapes. nullopt for any other text.
std::optional<std::string> parameter_value(std::string_view text);

}  // namespace portail
