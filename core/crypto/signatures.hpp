// The verification of signatures, one algorithm after the other. Pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/crypto/rsa/public_key.hpp"

namespace portail {

// EdDSA with Ed25519 (RFC 8032, RFC 8037), over libsodium. Plain values, pure functions; any thread.

// A compressed point (RFC 8032 section 5.1.2).
struct Ed25519PublicKey {
  std::array<std::byte, 32> point;
};

// Returns false for a non-canonical encoding, and for a point that is off the curve or of low order. With a point of
// low order, one signature is valid for many messages. Costs about as much as verifying a signature.
[[nodiscard]] bool is_valid_key(const Ed25519PublicKey& key);

// Returns whether the signature is valid; false also if it is not 64 bytes long. `key` must be valid.
[[nodiscard]] bool verify_eddsa(const Ed25519PublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

// ES256 (RFC 7518 section 3.4): ECDSA with P-256 and SHA-256, by public_key_operations(). Plain values, pure functions;
// any thread.

// An uncompressed point (SEC 1 section 2.3.3): 04, then x and y of 32 bytes each.
struct P256PublicKey {
  std::array<std::byte, 65> point;
};

// Returns false for a coordinate that is not below the prime, and for a point that is not on the curve. P-256 has no
// points of low order. Costs a small part of verifying a signature.
[[nodiscard]] bool is_valid_key(const P256PublicKey& key);

// Returns whether the signature is valid. `signature` is r and s of 32 bytes each; false for any other length. `key`
// must be valid.
[[nodiscard]] bool verify_es256(const P256PublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

// HS256 (RFC 7518 section 3.2): HMAC-SHA-256 as a signature. Plain values, pure functions; any thread.

inline constexpr std::size_t min_hmac_secret_size = 32;

// At least min_hmac_secret_size bytes.
struct HmacSecret {
  std::vector<std::byte> bytes;
};

// Returns whether the signature is valid, in constant time; false also if it is not 32 bytes long.
[[nodiscard]] bool verify_hs256(const HmacSecret& secret, std::string_view message,
                                std::span<const std::byte> signature);

// RS256 (RFC 7518 section 3.3): RSASSA-PKCS1-v1_5 with SHA-256. Pure functions; any thread.

// Returns whether the signature is valid; false also if it is not exactly as long as the modulus. The padding is
// compared, not parsed (RFC 8017 section 8.2.2); only the form with NULL parameters is accepted.
[[nodiscard]] bool verify_rs256(const RsaPublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

// PS256 (RFC 7518 section 3.5): RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
// Pure functions; any thread.

// Returns whether the signature is valid; false also if it is not exactly as long as the modulus, and for a salt of any
// other length.
[[nodiscard]] bool verify_ps256(const RsaPublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

// The keys for verifying signatures, of any kind. Immutable values; any thread.

using KeyMaterial = std::variant<Ed25519PublicKey, P256PublicKey, RsaPublicKey, HmacSecret>;

// In bytes: RSA with the maximum modulus.
inline constexpr std::size_t max_signature_size = max_rsa_modulus_bits / 8;

}  // namespace portail
