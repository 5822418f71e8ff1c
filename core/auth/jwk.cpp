#include "core/auth/jwk.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/auth/base64url.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using Refusal = std::unexpected<std::string_view>;
using Accepted = std::expected<void, std::string_view>;

std::optional<std::string_view> text_member(object jwk, std::string_view name) {
  const auto found = member(jwk, name);
  return found ? string_of(*found) : std::nullopt;
}

std::optional<std::string> bytes_member(object jwk, std::string_view name) {
  const auto text = text_member(jwk, name);
  return text ? base64url_decode(*text) : std::nullopt;
}

Accepted check_purpose(object jwk) {
  if (member(jwk, "use") && text_member(jwk, "use") != "sig") return Refusal("its use is not sig");
  if (const auto operations = member(jwk, "key_ops")) {
    const auto list = array_of(*operations);
    const auto is_verify = [](element operation) { return string_of(operation) == "verify"; };
    if (!list || std::none_of(list->begin(), list->end(), is_verify)) return Refusal("its key_ops lack verify");
  }
  return {};
}

// The `alg` of the key where it is one of `fitting`, whose first is the default.
std::expected<Algorithm, std::string_view> read_algorithm(object jwk, std::initializer_list<Algorithm> fitting) {
  if (!member(jwk, "alg")) return *fitting.begin();
  const auto name = text_member(jwk, "alg");
  const auto algorithm = name ? algorithm_named(*name) : std::nullopt;
  if (!algorithm || std::ranges::find(fitting, *algorithm) == fitting.end()) {
    return Refusal("its alg does not fit its kty");
  }
  return *algorithm;
}

// What a key type's members say, or why the key is refused.
using Material = std::expected<KeyMaterial, std::string_view>;

Material read_okp(object jwk) {
  if (text_member(jwk, "crv") != "Ed25519") return Refusal("its crv is not Ed25519");
  Ed25519PublicKey key;
  const auto text = text_member(jwk, "x");
  const auto bytes = text ? base64url_decode(*text, key.point) : std::nullopt;
  if (!bytes || bytes->size() != key.point.size()) return Refusal("its x is not 32 bytes in base64url");
  if (!is_sound(key)) return Refusal("its x is not canonical, not on the curve, or of low order");
  return key;
}

Material read_oct(object jwk) {
  const auto bytes = bytes_member(jwk, "k");
  if (!bytes) return Refusal("its k is not base64url");
  if (bytes->size() < shortest_hmac_secret) return Refusal("its secret is shorter than 32 bytes");
  const auto secret = std::as_bytes(std::span(*bytes));
  return HmacSecret{{secret.begin(), secret.end()}};
}

// The unsigned number of RFC 7518 section 2 (Base64urlUInt), which begins with no zero; nullopt for anything else.
std::optional<std::vector<std::byte>> number_member(object jwk, std::string_view name) {
  const auto bytes = bytes_member(jwk, name);
  if (!bytes || bytes->starts_with('\0')) return std::nullopt;
  const auto number = std::as_bytes(std::span(*bytes));
  return std::vector(number.begin(), number.end());
}

bool is_even(std::span<const std::byte> number) { return (number.back() & std::byte{1}) == std::byte{0}; }

Material read_rsa(object jwk) {
  auto modulus = number_member(jwk, "n");
  auto exponent = number_member(jwk, "e");
  if (!modulus || !exponent) return Refusal("its n or e is not base64url, or begins with a zero byte");
  if (bit_length(*modulus) < shortest_rsa_modulus) return Refusal("its modulus is under 2048 bits");
  if (bit_length(*modulus) > longest_rsa_modulus) return Refusal("its modulus is over 4096 bits");
  if (is_even(*modulus)) return Refusal("its modulus is even");
  if (bit_length(*exponent) < 2) return Refusal("its exponent is below 3");
  if (is_even(*exponent)) return Refusal("its exponent is even");
  return RsaPublicKey{std::move(*modulus), std::move(*exponent)};
}

Material read_ec(object jwk) {
  if (text_member(jwk, "crv") != "P-256") return Refusal("its crv is not P-256");
  P256PublicKey key{.point = {std::byte{4}}};
  std::span<std::byte> free = std::span(key.point).subspan(1);
  for (const std::string_view name : {"x", "y"}) {
    const auto text = text_member(jwk, name);
    const auto coordinate = text ? base64url_decode(*text, free.first(32)) : std::nullopt;
    if (!coordinate || coordinate->size() != 32) return Refusal("its x or y is not 32 bytes in base64url");
    free = free.subspan(32);
  }
  if (!is_sound(key)) return Refusal("its x or y is not canonical, or the point is off the curve");
  return key;
}

}  // namespace

std::expected<VerificationKey, std::string_view> read_jwk(object jwk) {
  if (member(jwk, "kid") && !kid_of(jwk)) return Refusal("its kid is not a string");
  // What the key type may verify, its default first, and how its material is read.
  const auto read_as = [jwk](std::initializer_list<Algorithm> fitting,
                             Material (*read)(object)) -> std::expected<VerificationKey, std::string_view> {
    if (const auto purpose = check_purpose(jwk); !purpose) return Refusal(purpose.error());
    const auto algorithm = read_algorithm(jwk, fitting);
    if (!algorithm) return Refusal(algorithm.error());
    auto material = read(jwk);
    if (!material) return Refusal(material.error());
    return VerificationKey{std::string(kid_of(jwk).value_or("")), *algorithm, std::move(*material)};
  };
  const auto kty = text_member(jwk, "kty");
  if (kty == "OKP") return read_as({Algorithm::eddsa}, read_okp);
  if (kty == "oct") return read_as({Algorithm::hs256}, read_oct);
  if (kty == "RSA") return read_as({Algorithm::rs256, Algorithm::ps256}, read_rsa);
  if (kty == "EC") return read_as({Algorithm::es256}, read_ec);
  return Refusal("its kty is not OKP, oct, RSA or EC");
}

std::optional<std::string_view> kid_of(object jwk) { return text_member(jwk, "kid"); }

bool has_private_members(object jwk) {
  constexpr std::array<std::string_view, 7> names{"d", "p", "q", "dp", "dq", "qi", "oth"};
  return std::ranges::any_of(names, [jwk](std::string_view name) { return member(jwk, name).has_value(); });
}

}  // namespace portail
