#include "core/portal/completion.hpp"

#include <cmath>
#include <cstdint>

namespace portail {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

std::string Completion::percentage() const {
  if (validated == pieces) return "100";
  if (validated == 0) return "0";

  // The double equals mantissa / 2^shift.
  int exponent = 0;
  const double fraction = std::frexp(100.0 * static_cast<double>(validated) / static_cast<double>(pieces), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = 53 - exponent;

  // Adds decimals until the nearest decimal lies within half a unit in the last place of the double.
  Wide scale = 1;
  for (std::size_t decimals = 0;; ++decimals, scale *= 10) {
    const Wide exact = mantissa * scale;
    const Wide nearest = (exact + (Wide{1} << (shift - 1))) >> shift;
    const Wide back = nearest << shift;
    const Wide error = back > exact ? back - exact : exact - back;
    if (2 * error >= scale) continue;
    std::string digits = std::to_string(static_cast<std::uint64_t>(nearest));
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    if (decimals > 0) digits.insert(digits.size() - decimals, 1, '.');
    return digits;
  }
}

}  // namespace portail
