// The two public-key operations for verifying ES256, RS256 and PS256: the interface to the cryptographic library.
// WebAssembly uses BearSSL (core/crypto/bearssl), the native program OpenSSL (native/crypto), which is several times as
// fast. Both return the same results (tests/native/crypto/public_key_operations_unit.cpp). Any thread.
#pragma once

#include <cstddef>
#include <span>

#include "core/crypto/hash.hpp"
#include "core/crypto/rsa/public_key.hpp"
#include "core/crypto/signatures.hpp"

namespace portail {

struct PublicKeyOperations {
  // Returns whether `signature`, r and s of 32 bytes each, is valid for the hash (ECDSA, SEC 1 section 4.1.4). False
  // also if r or s is zero or not below the order of the curve. `key` must be valid, and `hash` must be the hash of a
  // message: for a hash of zeros, of which no message is known, only BearSSL refuses all signatures.
  bool (*verify_p256)(const P256PublicKey& key, const Hash32& hash, std::span<const std::byte, 64> signature);
  // Raises `number`, which must be as long as the modulus, to the power of the exponent, modulo the modulus (RSAVP1,
  // RFC 8017 section 5.2.2). Returns false if it is not below the modulus; its content is then unspecified.
  bool (*rsa_power)(const RsaPublicKey& key, std::span<std::byte> number);
};

// Returns the operations of the library that the program is linked with (core/crypto/CMakeLists.txt).
[[nodiscard]] const PublicKeyOperations& public_key_operations();

}  // namespace portail
