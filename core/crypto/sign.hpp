// Signing, for `portail token`, `portail keys` and tests; the service does not use it. RSA: rsa/private_key.hpp. The
// functions use no random bytes: the caller generates seeds. Pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/context.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/signatures.hpp"

namespace portail {

// The private key of RFC 8032 section 5.1.5, 32 random bytes; the `d` of a JWK.
using Ed25519Seed = std::array<std::byte, 32>;
using Ed25519Signature = std::array<std::byte, 64>;

[[nodiscard]] Ed25519PublicKey public_key_of(const Ed25519Seed& seed);
[[nodiscard]] Ed25519Signature sign_eddsa(const Ed25519Seed& seed, std::string_view message);
[[nodiscard]] Hash32 sign_hs256(const HmacSecret& secret, std::string_view message);

// Generates keys for ES256 and signs with them, for `portail keys`, `portail token` and tests. Plain values; any
// thread.

// The `d` of a JWK (RFC 7518 section 6.2.2.1): 32 bytes, the most significant first.
struct P256PrivateKey {
  std::array<std::byte, 32> scalar;
};
using P256Signature = std::array<std::byte, 64>;

[[nodiscard]] P256PrivateKey generate_p256_key(RandomSource& random);

// Both return nullopt if the scalar is zero or not below the order of the curve.
[[nodiscard]] std::optional<P256PublicKey> public_key_of(const P256PrivateKey& key);
// Deterministic (RFC 6979).
[[nodiscard]] std::optional<P256Signature> sign_es256(const P256PrivateKey& key, std::string_view message);

}  // namespace portail
