// Signing with EdDSA and HS256, for `portail token`, `portail keys` and tests; the service does not use it. Other
// algorithms: sign_es256.hpp, rsa/private_key.hpp. The functions use no random bytes: the caller generates seeds. Pure
// functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/crypto/eddsa.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/hs256.hpp"

namespace portail {

// The private key of RFC 8032 section 5.1.5, 32 random bytes; the `d` of a JWK.
using Ed25519Seed = std::array<std::byte, 32>;
using Ed25519Signature = std::array<std::byte, 64>;

[[nodiscard]] Ed25519PublicKey public_key_of(const Ed25519Seed& seed);
[[nodiscard]] Ed25519Signature sign_eddsa(const Ed25519Seed& seed, std::string_view message);
[[nodiscard]] Hash32 sign_hs256(const HmacSecret& secret, std::string_view message);

}  // namespace portail
