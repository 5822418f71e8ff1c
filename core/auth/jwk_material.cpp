#include "core/auth/jwk_material.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/auth/base64url.hpp"

namespace portail {
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
