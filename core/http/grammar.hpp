// The small pieces of HTTP's grammar (RFC 9110 section 5.6) that several header fields share. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {

// tchar, RFC 9110 section 5.6.2.
constexpr bool is_token_character(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}
constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

// Takes the next part of `rest`, up to `separator`, which is dropped, or up to the end. Quotes mean nothing to it.
constexpr std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

}  // namespace portail
