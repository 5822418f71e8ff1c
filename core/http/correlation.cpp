#include "core/http/correlation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

constexpr std::size_t max_size = 128;

bool is_acceptable(std::string_view id) {
  return !id.empty() && id.size() <= max_size && std::ranges::all_of(id, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

std::string new_correlation_id(RandomSource& random) {
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  return lower_hex(bytes);
}

std::string correlation_id_of(const Request& request, RandomSource& random) {
  const auto given = find_header(request, "X-Correlation-Id");
  return given && is_acceptable(*given) ? std::string(*given) : new_correlation_id(random);
}

}  // namespace portail
