// The signature algorithms of tokens (RFC 7518, RFC 8037): a row for each, which is all that the verification of tokens
// knows of it. A new one is its verify function (core/crypto) and its row; one whose keys are of a new kind is also
// that kind, in core/crypto/key_material.hpp, and how a JWK spells it, in core/auth/jwk_material.hpp. Constants; any
// thread.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string_view>

#include "core/crypto/key_material.hpp"
#include "core/json/reader.hpp"

namespace portail {

struct Algorithm {
  std::string_view name;  // in JOSE: "EdDSA"
  std::string_view kty;   // of its keys; a key without `alg` is for the first row of its kty
  // The material of such a key, or why the key is refused, a constant: "its crv is not Ed25519".
  std::expected<KeyMaterial, std::string_view> (*read_material)(JsonObject jwk);
  // Whether `signature` is that of `message` by the key. False too for material that is not the algorithm's.
  bool (*verify)(const KeyMaterial& material, std::string_view message, std::span<const std::byte> signature);
};

[[nodiscard]] std::span<const Algorithm> algorithms();
// The algorithm of exactly that name; null for "none" and all others.
[[nodiscard]] const Algorithm* algorithm_named(std::string_view name);
// Why a key is refused whose kty is in no row.
inline constexpr std::string_view unknown_key_type = "its kty is not OKP, oct, RSA or EC";

}  // namespace portail
