#include "core/auth/jwk.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/auth/algorithms.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

using Refusal = std::unexpected<std::string_view>;
using Accepted = std::expected<void, std::string_view>;

Accepted check_purpose(JsonObject jwk) {
  if (member(jwk, "use") && string_member(jwk, "use") != "sig") return Refusal("its use is not sig");
  if (const auto operations = member(jwk, "key_ops")) {
    const auto list = array_of(*operations);
    const auto is_verify = [](JsonValue operation) { return string_of(operation) == "verify"; };
    if (!list || std::none_of(list->begin(), list->end(), is_verify)) return Refusal("its key_ops lack verify");
  }
  return {};
}

// Returns the algorithm of the key: its `alg`, else the default of its kty.
std::expected<const Algorithm*, std::string_view> choose_algorithm(JsonObject jwk, const Algorithm& default_algorithm) {
  if (!member(jwk, "alg")) return &default_algorithm;
  const auto name = string_member(jwk, "alg");
  const Algorithm* named = name ? algorithm_named(*name) : nullptr;
  if (!named || named->kty != default_algorithm.kty) return Refusal("its alg does not fit its kty");
  return named;
}

}  // namespace

std::expected<VerificationKey, std::string_view> read_jwk(JsonObject jwk) {
  if (member(jwk, "kid") && !kid_of(jwk)) return Refusal("its kid is not a string");
  const auto default_algorithm = std::ranges::find(algorithms(), string_member(jwk, "kty"), &Algorithm::kty);
  if (default_algorithm == algorithms().end()) return Refusal(unknown_key_type);
  if (const auto purpose = check_purpose(jwk); !purpose) return Refusal(purpose.error());
  const auto algorithm = choose_algorithm(jwk, *default_algorithm);
  if (!algorithm) return Refusal(algorithm.error());
  auto material = (*algorithm)->read_material(jwk);
  if (!material) return Refusal(material.error());
  return VerificationKey{std::string(kid_of(jwk).value_or("")), *algorithm, std::move(*material)};
}

std::optional<std::string_view> kid_of(JsonObject jwk) { return string_member(jwk, "kid"); }

bool has_private_members(JsonObject jwk) {
  constexpr std::array<std::string_view, 7> names{"d", "p", "q", "dp", "dq", "qi", "oth"};
  return std::ranges::any_of(names, [jwk](std::string_view name) { return member(jwk, name).has_value(); });
}

}  // namespace portail
