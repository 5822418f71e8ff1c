// The RSA public operation, over the library of public_key_operations.hpp: what RS256 and PS256 have in common. Plain
// values, pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace portail {

inline constexpr std::size_t shortest_rsa_modulus = 2048;  // in bits
inline constexpr std::size_t longest_rsa_modulus = 4096;   // in bits; BearSSL knows no longer one

// Unsigned numbers, the most significant byte first, without leading zeros.
struct RsaPublicKey {
  std::vector<std::byte> modulus;   // odd, of 2048 to 4096 bits
  std::vector<std::byte> exponent;  // odd, 3 or more
};

// Of a number of that form; 0 for none.
[[nodiscard]] std::size_t bit_length(std::span<const std::byte> number);

// Room for any number below a modulus.
using RsaBlock = std::array<std::byte, longest_rsa_modulus / 8>;

// `signature` to the power of the exponent, modulo the modulus: the encoded message of RFC 8017 (RSAVP1,
// section 5.2.2), as long as the modulus, in the first bytes of `block`. Nothing where the signature is not exactly as
// long as the modulus, or not below it.
[[nodiscard]] std::span<std::byte> rsa_public_operation(const RsaPublicKey& key, std::span<const std::byte> signature,
                                                        RsaBlock& block);

}  // namespace portail
