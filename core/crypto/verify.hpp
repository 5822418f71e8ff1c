// The one seam between tokens and signature algorithms. A new algorithm is a file with its key type and its check, the
// type in KeyMaterial, and a line in verify.cpp. Immutable values; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "core/crypto/algorithm.hpp"
#include "core/crypto/eddsa.hpp"
#include "core/crypto/es256.hpp"
#include "core/crypto/hs256.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

using KeyMaterial = std::variant<Ed25519PublicKey, P256PublicKey, RsaPublicKey, HmacSecret>;

// In bytes; that of RSA with the longest modulus.
inline constexpr std::size_t longest_signature = longest_rsa_modulus / 8;

// Whether `signature` is the algorithm's signature of `message` by that key. False too for material that is not the
// algorithm's.
[[nodiscard]] bool verify(Algorithm algorithm, const KeyMaterial& material, std::string_view message,
                          std::span<const std::byte> signature);

}  // namespace portail
