// The keys that signatures are verified with: a type for each kind. Immutable values; any thread.
#pragma once

#include <cstddef>
#include <variant>

#include "core/crypto/eddsa.hpp"
#include "core/crypto/es256.hpp"
#include "core/crypto/hs256.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

using KeyMaterial = std::variant<Ed25519PublicKey, P256PublicKey, RsaPublicKey, HmacSecret>;

// In bytes; that of RSA with the longest modulus.
inline constexpr std::size_t longest_signature = longest_rsa_modulus / 8;

}  // namespace portail
