#include "core/base/text.hpp"

#include <cstddef>
#include <cstdint>

namespace portail {
namespace {

constexpr std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }
constexpr bool is_continuation(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

// The length of the well-formed sequence at `i`, 0 where there is none (Unicode standard, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const std::uint8_t lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - i < length) return 0;
  // Only the second byte has a narrower range, after four of the leads.
  const std::uint8_t second = byte_at(text, i + 1);
  if (!is_continuation(second)) return 0;
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  for (std::size_t k = 2; k < length; ++k) {
    if (!is_continuation(byte_at(text, i + k))) return 0;
  }
  return length;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace portail
