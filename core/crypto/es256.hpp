// ES256 (RFC 7518 section 3.4): ECDSA with P-256 and SHA-256, by public_key_operations(). Plain values, pure functions;
// any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace portail {

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

}  // namespace portail
