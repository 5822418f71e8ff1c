// PS256 (RFC 7518 section 3.5): RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/crypto/rsa/public_key.hpp"

namespace portail {

// Returns whether the signature is valid; false also if it is not exactly as long as the modulus, and for a salt of any
// other length.
[[nodiscard]] bool verify_ps256(const RsaPublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
