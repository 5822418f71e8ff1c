#include "core/auth/jwk.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/base/text.hpp"
#include "core/json/raw_json.hpp"

namespace portail {
namespace {

using Unusable = std::unexpected<std::string>;
using Accepted = std::expected<void, std::string>;

constexpr JsonLimits set_limits{.max_size = max_key_set_size};
constexpr JsonLimits key_limits{.max_depth = set_limits.max_depth - 2};  // of one in the array of a set

bool is_empty(JsonValue value) {
  const auto has_nothing = [](const auto& container) { return container && container->begin() == container->end(); };
  return value.is_null() || string_of(value) == "" || has_nothing(array_of(value)) || has_nothing(object_of(value));
}

// Returns whether a text with this fault still shows where each value of it ends.
bool is_fault_of_value(JsonFault fault) {
  return fault == JsonFault::bad_number || fault == JsonFault::bad_string || fault == JsonFault::too_deep ||
         fault == JsonFault::not_utf8;
}

// Returns a text of the document for a message: one line, of which the end may be missing.
std::string shown(std::string_view text) { return printable(text.substr(0, 64)); }

Accepted check_purpose(JsonObject jwk) {
  const auto use = filled_member(jwk, "use");
  if (use && string_of(*use) != "sig") return Unusable("its use is not sig");
  if (const auto operations = filled_member(jwk, "key_ops")) {
    const auto list = array_of(*operations);
    const auto is_verify = [](JsonValue operation) { return string_of(operation) == "verify"; };
    if (!list || std::none_of(list->begin(), list->end(), is_verify)) return Unusable("its key_ops lack verify");
  }
  return {};
}

// Returns the algorithm of the key: its `alg`, else the default of its kty.
std::expected<const Algorithm*, std::string> choose_algorithm(JsonObject jwk, const Algorithm& default_algorithm) {
  const auto alg = filled_member(jwk, "alg");
  if (!alg) return &default_algorithm;
  const auto name = string_of(*alg);
  if (!name) return Unusable("its alg is not a string");
  const Algorithm* named = algorithm_named(*name);
  if (!named) {
    return Unusable("its alg " + shown(*name) + " is not supported; tokens need EdDSA, ES256, RS256, PS256 or HS256");
  }
  if (named->kty != default_algorithm.kty) return Unusable("its alg does not fit its kty");
  return named;
}

// `needed` is empty if keys of this type have no curve.
Accepted check_curve(JsonObject jwk, std::string_view needed) {
  const std::string_view crv = string_member(jwk, "crv").value_or("");
  if (needed.empty() || crv == needed) return {};
  return Unusable("its crv " + (crv.empty() ? "is missing" : shown(crv) + " is not supported") + "; tokens need " +
                  std::string(needed));
}

std::expected<ParsedKeys, std::string_view> with_unique_names(ParsedKeys keys) {
  const auto root = object_of(keys.document.root());
  if (root && repeated_name(*root)) return std::unexpected(description(JsonFault::duplicate_name));
  return keys;
}

}  // namespace

std::expected<VerificationKey, std::string> read_jwk(JsonObject jwk) {
  if (auto fault = repeated_member_fault(jwk)) return Unusable(std::move(*fault));
  if (filled_member(jwk, "kid") && !kid_of(jwk)) return Unusable("its kid is not a string");
  const auto default_algorithm = std::ranges::find(algorithms(), string_member(jwk, "kty"), &Algorithm::kty);
  if (default_algorithm == algorithms().end()) return Unusable(std::string(unknown_key_type));
  if (const auto purpose = check_purpose(jwk); !purpose) return Unusable(purpose.error());
  const auto algorithm = choose_algorithm(jwk, *default_algorithm);
  if (!algorithm) return Unusable(algorithm.error());
  if (const auto curve = check_curve(jwk, (*algorithm)->crv); !curve) return Unusable(curve.error());
  auto material = (*algorithm)->read_material(jwk);
  if (!material) return Unusable(std::string(material.error()));
  return VerificationKey{std::string(kid_of(jwk).value_or("")), *algorithm, std::move(*material)};
}

std::optional<std::string> repeated_member_fault(JsonObject jwk) {
  const auto name = repeated_name(jwk);
  return name ? std::optional("it has two members " + shown(*name)) : std::nullopt;
}

std::optional<JsonValue> filled_member(JsonObject jwk, std::string_view name) {
  const auto value = member(jwk, name);
  return value && is_empty(*value) ? std::nullopt : value;
}

std::optional<std::string_view> kid_of(JsonObject jwk) { return string_member(jwk, "kid"); }

bool has_private_members(JsonObject jwk) {
  constexpr std::array<std::string_view, 7> names{"d", "p", "q", "dp", "dq", "qi", "oth"};
  return std::any_of(jwk.begin(), jwk.end(), [&names](const JsonMember& each) {
    return std::ranges::contains(names, each.name) && !is_empty(each.value);
  });
}

std::expected<ParsedKeys, std::string_view> parse_keys(std::string_view text) {
  auto whole = parse_json(text, set_limits);
  if (whole) return with_unique_names({std::move(*whole), {}});
  const std::string_view start = trimmed(text, "\xef\xbb\xbf \t\r\n").substr(0, 1);
  if (start != "{" && start != "[" && text.contains("-----BEGIN ")) {
    return std::unexpected("it is PEM, not JSON; convert it to a JWK set (RFC 7517)");
  }

  const std::unexpected refusal(description(whole.error()));
  if (!is_fault_of_value(whole.error())) return refusal;
  std::vector<std::pair<std::size_t, JsonFault>> faults;
  std::string valid;
  std::size_t copied = 0;  // bytes of the text
  const auto jwks = raw_items(raw_member(text, "keys").value_or(""));
  for (std::size_t index = 0; index < jwks.size(); ++index) {
    const auto jwk = parse_json(jwks[index], key_limits);
    if (jwk) continue;
    if (!is_fault_of_value(jwk.error())) return refusal;
    const auto begin = static_cast<std::size_t>(jwks[index].data() - text.data());
    append_all(valid, {text.substr(copied, begin - copied), "null"});
    copied = begin + jwks[index].size();
    faults.emplace_back(index, jwk.error());
  }
  valid += text.substr(copied);
  auto document = parse_json(valid, set_limits);
  if (!document) return refusal;
  return with_unique_names({std::move(*document), std::move(faults)});
}

namespace {

using Refusal = std::unexpected<std::string_view>;

std::optional<std::string> bytes_member(JsonObject jwk, std::string_view name) {
  const auto text = string_member(jwk, name);
  return text ? base64url_decode(*text) : std::nullopt;
}

// Returns a Base64urlUInt (RFC 7518 section 2) without leading zeros; nullopt for anything else.
std::optional<std::vector<std::byte>> number_member(JsonObject jwk, std::string_view name) {
  const auto bytes = bytes_member(jwk, name);
  if (!bytes || bytes->starts_with('\0')) return std::nullopt;
  const auto number = std::as_bytes(std::span(*bytes));
  return std::vector(number.begin(), number.end());
}

bool is_even(std::span<const std::byte> number) { return (number.back() & std::byte{1}) == std::byte{0}; }

}  // namespace

ReadKey<Ed25519PublicKey> read_ed25519_key(JsonObject jwk) {
  Ed25519PublicKey key;
  const auto text = string_member(jwk, "x");
  const auto bytes = text ? base64url_decode(*text, key.point) : std::nullopt;
  if (!bytes || bytes->size() != key.point.size()) return Refusal("its x is not 32 bytes in base64url");
  if (!is_valid_key(key)) return Refusal("its x is not canonical, not on the curve, or of low order");
  return key;
}

ReadKey<HmacSecret> read_hmac_secret(JsonObject jwk) {
  const auto bytes = bytes_member(jwk, "k");
  if (!bytes) return Refusal("its k is not base64url");
  if (bytes->size() < min_hmac_secret_size) return Refusal("its secret is shorter than 32 bytes");
  const auto secret = std::as_bytes(std::span(*bytes));
  return HmacSecret{{secret.begin(), secret.end()}};
}

ReadKey<RsaPublicKey> read_rsa_key(JsonObject jwk) {
  auto modulus = number_member(jwk, "n");
  auto exponent = number_member(jwk, "e");
  if (!modulus || !exponent) return Refusal("its n or e is not base64url, or begins with a zero byte");
  if (bit_length(*modulus) < min_rsa_modulus_bits) return Refusal("its modulus is under 2048 bits");
  if (bit_length(*modulus) > max_rsa_modulus_bits) return Refusal("its modulus is over 4096 bits");
  if (is_even(*modulus)) return Refusal("its modulus is even");
  if (bit_length(*exponent) < 2) return Refusal("its exponent is below 3");
  if (is_even(*exponent)) return Refusal("its exponent is even");
  return RsaPublicKey{std::move(*modulus), std::move(*exponent)};
}

ReadKey<P256PublicKey> read_p256_key(JsonObject jwk) {
  P256PublicKey key{.point = {std::byte{4}}};
  std::span<std::byte> remaining = std::span(key.point).subspan(1);
  for (const std::string_view name : {"x", "y"}) {
    const auto text = string_member(jwk, name);
    const auto coordinate = text ? base64url_decode(*text, remaining.first(32)) : std::nullopt;
    if (!coordinate || coordinate->size() != 32) return Refusal("its x or y is not 32 bytes in base64url");
    remaining = remaining.subspan(32);
  }
  if (!is_valid_key(key)) return Refusal("its x or y is not canonical, or the point is off the curve");
  return key;
}

}  // namespace portail
