#include "core/http/list_header.hpp"

#include <algorithm>

namespace portail {
namespace {

// qvalue: 0 or 1, and up to three decimals.
std::optional<int> thousandths(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[1] != '.')) return std::nullopt;
  if (text[0] != '0' && text[0] != '1') return std::nullopt;
  int value = (text[0] - '0') * 1000;
  int digit_weight = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (!is_ascii_digit(digit)) return std::nullopt;
    value += (digit - '0') * digit_weight;
    digit_weight /= 10;
  }
  return value <= 1000 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int> weight(std::string_view parameters) {
  if (parameters.empty()) return 1000;
  const std::string_view parameter = trimmed(parameters.substr(1));
  if (!equals_ignoring_case(parameter.substr(0, 2), "q=")) return std::nullopt;
  return thousandths(parameter.substr(2));
}

}  // namespace portail
