#include "native/shadow/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "core/base/text.hpp"

namespace portail::shadow {
namespace {

// An exponent beyond 64 bits becomes the nearest that fits.
std::int64_t exponent_of(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error == std::errc()) return exponent;
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 2;
  return digits.starts_with('-') ? -limit : limit;
}

}  // namespace

std::string canonical_decimal(std::string_view number) {
  const bool is_negative = number.starts_with('-');
  const std::size_t exponent_begin = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, exponent_begin);
  std::int64_t exponent = exponent_begin < number.size() ? exponent_of(number.substr(exponent_begin + 1)) : 0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (point < mantissa.size()) exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);

  std::string digits;
  std::ranges::copy_if(mantissa, std::back_inserter(digits), is_ascii_digit);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (digits.ends_with('0')) {
    digits.pop_back();
    ++exponent;
  }
  if (digits.empty()) return "0";
  return (is_negative ? "-" : "") + digits + 'e' + std::to_string(exponent);
}

}  // namespace portail::shadow
