// RS256 (RFC 7518 section 3.3): RSASSA-PKCS1-v1_5 with SHA-256. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/crypto/rsa/public_key.hpp"

namespace portail {

// Returns whether the signature is valid; false also if it is not exactly as long as the modulus. The padding is
// compared, not parsed (RFC 8017 section 8.2.2); only the form with NULL parameters is accepted.
[[nodiscard]] bool verify_rs256(const RsaPublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
