// Skips over parts of JSON text that must be well formed; in other text they stop at its end at the latest. For
// core/json only.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/text.hpp"

namespace portail::json_scan {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_number_part(char c) {
  return is_ascii_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

constexpr std::size_t after_spaces(std::string_view text, std::size_t i) {
  while (i < text.size() && is_space(text[i])) ++i;
  return i;
}

constexpr std::size_t after_number(std::string_view text, std::size_t i) {
  while (i < text.size() && is_number_part(text[i])) ++i;
  return i;
}

// `i` is the position of the opening quote; returns the position after the closing one.
constexpr std::size_t after_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

// `i` is the position of a value; returns the position after its last character.
constexpr std::size_t after_value(std::string_view text, std::size_t i) {
  for (std::size_t depth = 0; i < text.size();) {
    switch (text[i]) {
      case '"':
        i = after_string(text, i);
        if (depth == 0) return i;
        break;
      case '{':
      case '[':
        ++depth;
        ++i;
        break;
      case '}':
      case ']':
        if (depth == 0) return i;
        ++i;
        if (--depth == 0) return i;
        break;
      default:
        if (depth == 0 && (text[i] == ',' || is_space(text[i]))) return i;
        ++i;
    }
  }
  return text.size();
}

}  // namespace portail::json_scan
