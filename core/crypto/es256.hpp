// ES256 (RFC 7518 section 3.4): ECDSA with P-256 and SHA-256, over the library of
// public_key_operations.hpp. Plain values, pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace portail {

// A point as SEC 1 section 2.3.3 writes it uncompressed: 04, x, y, of 32 bytes each.
struct P256PublicKey {
  std::array<std::byte, 65> point;
};

// False for a coordinate that is not below the prime, and for a point off the curve. P-256 has no points of low order.
// Costs a small part of verifying a signature.
[[nodiscard]] bool is_sound(const P256PublicKey& key);

// `signature` is r and s, 32 bytes each; false too for any other length. `key` is sound.
[[nodiscard]] bool verify_es256(const P256PublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
