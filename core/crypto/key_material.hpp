// The keys for verifying signatures, of any kind. Immutable values; any thread.
#pragma once

#include <cstddef>
#include <variant>

#include "core/crypto/eddsa.hpp"
#include "core/crypto/es256.hpp"
#include "core/crypto/hs256.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

using KeyMaterial = std::variant<Ed25519PublicKey, P256PublicKey, RsaPublicKey, HmacSecret>;

// In bytes: RSA with the maximum modulus.
inline constexpr std::size_t max_signature_size = max_rsa_modulus_bits / 8;

}  // namespace portail
