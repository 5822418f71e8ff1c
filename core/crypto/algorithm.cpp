#include "core/crypto/algorithm.hpp"

#include <array>
#include <cstddef>

namespace portail {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 5> names{"EdDSA", "ES256", "RS256", "PS256", "HS256"};

}  // namespace

std::string_view name_of(Algorithm algorithm) { return names[static_cast<std::size_t>(algorithm)]; }

std::optional<Algorithm> algorithm_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Algorithm>(i);
  }
  return std::nullopt;
}

}  // namespace portail
