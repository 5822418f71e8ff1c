// The signature algorithms of tokens (RFC 7518, RFC 8037, RFC 9864), one row each. A new algorithm needs a verify
// function in core/crypto and a row. A new kind of key also needs its type in core/crypto/signatures.hpp and its JWK
// parser in core/auth/jwk.hpp. Constants; any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string_view>

#include "core/crypto/signatures.hpp"
#include "core/json/reader.hpp"

namespace portail {

struct Algorithm {
  std::string_view name;  // the JOSE name: "EdDSA"
  std::string_view kty;   // of its keys; a key without `alg` is of the first row with its kty
  std::string_view crv;   // of its keys; empty if they have none
  // Returns the material of a key of that crv, or the reason for its refusal, a constant: "its modulus is even".
  std::expected<KeyMaterial, std::string_view> (*read_material)(JsonObject jwk);
  // Returns whether `signature` is the key's signature of `message`. False also for material of another algorithm.
  bool (*verify)(const KeyMaterial& material, std::string_view message, std::span<const std::byte> signature);
};

[[nodiscard]] std::span<const Algorithm> algorithms();
// Returns the algorithm of exactly that name, also EdDSA for "Ed25519"; null for "none" and all others.
[[nodiscard]] const Algorithm* algorithm_named(std::string_view name);
// The refusal of a key whose kty is in no row.
inline constexpr std::string_view unknown_key_type = "its kty is not OKP, oct, RSA or EC";

}  // namespace portail
