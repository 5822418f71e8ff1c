#include "core/http/correlation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::size_t longest = 128;

bool is_acceptable(std::string_view id) {
  return !id.empty() && id.size() <= longest && std::ranges::all_of(id, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

std::string correlation_id_of(const Request& request, RandomSource& random) {
  if (const auto given = find_header(request, "X-Correlation-Id"); given && is_acceptable(*given)) {
    return std::string(*given);
  }
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  std::string id;
  id.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    id += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    id += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  return id;
}

}  // namespace portail
