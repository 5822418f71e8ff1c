#include "core/portal/completion.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/text.hpp"
#include "core/json/normal_form.hpp"

namespace portail {
namespace {

// A status in lower case without accents, truncated beyond the length of the known statuses. Of a letter beyond ASCII
// it has one byte.
struct Folded {
  std::array<char, 8> text{};
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
};

// The base letters of C3 80 to C3 9F and of C3 A0 to C3 BF; ? for letters without an accent.
constexpr std::string_view unaccented = "aaaaaa?ceeeeiiii?nooooo??uuuuy??";

// Whether the bytes are a combining mark, U+0300 to U+036F, which follows its base letter (Unicode, "Combining
// Diacritical Marks").
constexpr bool is_combining_mark(unsigned char first, unsigned char second) {
  return (first == 0xcc && second >= 0x80 && second <= 0xbf) || (first == 0xcd && second >= 0x80 && second <= 0xaf);
}

Folded fold(std::string_view status) {
  Folded folded;
  for (std::size_t i = 0; i < status.size() && folded.size < folded.text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(status[i]);
    const auto next = static_cast<unsigned char>(i + 1 < status.size() ? status[i + 1] : '\0');
    if (folded.size > 0 && is_combining_mark(byte, next)) {
      ++i;
      continue;
    }
    char letter = to_lower_ascii(status[i]);
    const char base = byte == 0xc3 && next >= 0x80 && next <= 0xbf ? unaccented[next & 0x1fU] : '?';
    if (base != '?') {
      letter = base;
      ++i;
    } else if (byte >= 0xc4) {
      const std::size_t size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      letter = to_lower_ascii(decomposed(status.substr(i, size)).front());
      i += size - 1;
    }
    folded.text[folded.size++] = letter;
  }
  return folded;
}

}  // namespace

PieceStatus parse_piece_status(std::string_view status) {
  if (status.size() >= 2 && status.front() == '"' && status.back() == '"') status = status.substr(1, status.size() - 2);
  const Folded folded = fold(status);
  const std::string_view text = folded.view();
  if (text == "valide") return PieceStatus::validated;
  if (text == "depose") return PieceStatus::deposited;
  if (text == "attendu") return PieceStatus::expected;
  if (text == "deroge" || text == "derogee") return PieceStatus::derogated;
  return PieceStatus::unknown;
}

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
