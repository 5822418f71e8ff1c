// Generates RSA keys and signs with them, for `portail keys`, `portail token` and tests. Plain values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

// The members of a private JWK (RFC 7518 section 6.3.2), as unsigned numbers, the most significant byte first.
struct RsaPrivateKey {
  RsaPublicKey public_key;
  std::vector<std::byte> d;           // the private exponent; for the JWK only
  std::vector<std::byte> p, q;        // the prime factors
  std::vector<std::byte> dp, dq, qi;  // d mod p - 1, d mod q - 1, the inverse of q mod p; for signing
};

// Generates a key of 2048 bits with the exponent 65537, in about a second.
[[nodiscard]] RsaPrivateKey generate_rsa_key(RandomSource& random);

// Both return a signature as long as the modulus; nullopt if the key's numbers have invalid sizes. The caller must
// check that the numbers match, by verifying the signature with the public key.
[[nodiscard]] std::optional<std::vector<std::byte>> sign_rs256(const RsaPrivateKey& key, std::string_view message);
// Deterministic: the salt is computed from the key and the message.
[[nodiscard]] std::optional<std::vector<std::byte>> sign_ps256(const RsaPrivateKey& key, std::string_view message);

}  // namespace portail
