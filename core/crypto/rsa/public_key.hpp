// RSA public keys: the public operation for RS256 and PS256, by public_key_operations(), and the encoding of PS256.
// Plain values, pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/crypto/hash.hpp"

namespace portail {

inline constexpr std::size_t min_rsa_modulus_bits = 2048;
inline constexpr std::size_t max_rsa_modulus_bits = 4096;  // BearSSL's maximum

// Unsigned numbers, the most significant byte first, without leading zeros.
struct RsaPublicKey {
  std::vector<std::byte> modulus;   // odd, of 2048 to 4096 bits
  std::vector<std::byte> exponent;  // odd, 3 or more
};

// Returns the bit length of a number of that form; 0 for an empty one.
[[nodiscard]] std::size_t bit_length(std::span<const std::byte> number);

// A buffer for any number below a modulus.
using RsaBlock = std::array<std::byte, max_rsa_modulus_bits / 8>;

// Computes the encoded message: `signature` to the power of the exponent, modulo the modulus (RSAVP1, RFC 8017
// section 5.2.2). Returns the first bytes of `block`, as long as the modulus; empty if the signature is not exactly as
// long as the modulus, or not below it.
[[nodiscard]] std::span<std::byte> rsa_public_operation(const RsaPublicKey& key, std::span<const std::byte> signature,
                                                        RsaBlock& block);

// EMSA-PSS (RFC 8017 section 9.1) for PS256 (RFC 7518 section 3.5): SHA-256, also for MGF1, and a salt of 32
// bytes.
//
// For both functions, `encoded` has ceil(`bits` / 8) bytes, at least 66 (two hashes, the 01 before the salt, the BC at
// the end). `bits` is the bit length of the modulus minus one.

// Returns whether `encoded` is an encoding of that hash of a message; unmasks it in place.
[[nodiscard]] bool is_emsa_pss_of(const Hash32& message_hash, std::span<std::byte> encoded, std::size_t bits);

void write_emsa_pss(const Hash32& message_hash, const Hash32& salt, std::span<std::byte> encoded, std::size_t bits);

}  // namespace portail
