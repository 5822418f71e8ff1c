// Makes RSA keys and signs with them, for `portail keys`, `portail token` and tests. Plain values; any thread.
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
  std::vector<std::byte> dp, dq, qi;  // d mod p - 1, d mod q - 1, the inverse of q mod p: what signing uses
};

// Of 2048 bits, with the exponent 65537. Takes a second or so.
[[nodiscard]] RsaPrivateKey make_rsa_key(RandomSource& random);

// Both give a signature as long as the modulus, and nothing where the key's numbers cannot be computed with. That they
// belong together is for the caller to see: does the public key verify the signature?
[[nodiscard]] std::optional<std::vector<std::byte>> sign_rs256(const RsaPrivateKey& key, std::string_view message);
// The same signature each time: the salt is made of the key and the message.
[[nodiscard]] std::optional<std::vector<std::byte>> sign_ps256(const RsaPrivateKey& key, std::string_view message);

}  // namespace portail
