// The small pieces of HTTP's grammar (RFC 9110 section 5.6) that several header fields share. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {

// tchar, RFC 9110 section 5.6.2; by character, since every byte of a header's name is asked for.
inline constexpr auto token_characters = [] {
  std::array<bool, 256> are{};
  for (unsigned char c = 0; c < 128; ++c) {
    const auto character = static_cast<char>(c);
    are[c] = is_ascii_letter(character) || is_ascii_digit(character) ||
             std::string_view("!#$%&'*+-.^_`|~").contains(character);
  }
  return are;
}();

constexpr bool is_token_character(char c) { return token_characters[static_cast<unsigned char>(c)]; }
constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

// Takes the next item of a list (`,`) or of parameters (`;`): up to `separator`, which is dropped, or up to the end,
// and without white space around it. A separator within a quoted string is text; a string that does not end takes the
// rest.
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

// What a parameter's value says (RFC 9110 section 5.6.6): a token, or a quoted string without its quotes and escapes;
// nullopt for anything else.
std::optional<std::string> parameter_value(std::string_view text);

}  // namespace portail
