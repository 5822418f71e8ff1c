// The two operations with public keys that verifying ES256, RS256 and PS256 stands on, and the one seam between the
// libraries that have them: guests take BearSSL's (core/crypto/bearssl), the native program OpenSSL's, which are
// several times as fast (native/crypto). Both answer alike (tests/native/public_key_operations_unit.cpp). Any thread.
#pragma once

#include <cstddef>
#include <span>

#include "core/crypto/es256.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

struct PublicKeyOperations {
  // Whether `signature`, r and s of 32 bytes each, is that of the hash (ECDSA, SEC 1 section 4.1.4). False too for
  // numbers that are zero, or not below the order of the curve. `key` is sound, and `hash` that of a message: for a
  // hash of zeros, of which no message is known, BearSSL alone refuses all signatures.
  bool (*verify_p256)(const P256PublicKey& key, const Hash32& hash, std::span<const std::byte, 64> signature);
  // Replaces `number`, which is as long as the modulus, by its power by the exponent, modulo the modulus (RSAVP1,
  // RFC 8017 section 5.2.2). False where it is not below the modulus; what it holds then is not to be used.
  bool (*rsa_power)(const RsaPublicKey& key, std::span<std::byte> number);
};

// Those of the library that the program is linked with (core/crypto/CMakeLists.txt).
[[nodiscard]] const PublicKeyOperations& public_key_operations();

}  // namespace portail
