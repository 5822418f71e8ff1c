// Percent-encoding (RFC 3986 section 2.1). Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/hexadecimal.hpp"

namespace portail {

// Decodes the escape "%zz" at `i`; nullopt if the text there is not one.
constexpr std::optional<char> percent_decoded(std::string_view text, std::size_t i) {
  if (text.size() - i < 3 || text[i] != '%') return std::nullopt;
  const auto high = hexadecimal_digit(text[i + 1]);
  const auto low = hexadecimal_digit(text[i + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

// Returns the text with all but letters, digits and -._~ escaped (RFC 3986 section 2.3).
std::string percent_encoded(std::string_view text);

}  // namespace portail
