// EdDSA with Ed25519 (RFC 8032, RFC 8037), over libsodium. Plain values, pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace portail {

// A compressed point (RFC 8032 section 5.1.2).
struct Ed25519PublicKey {
  std::array<std::byte, 32> point;
};

// Returns false for a non-canonical encoding, and for a point that is off the curve or of low order. With a point of
// low order, one signature is valid for many messages. Costs about as much as verifying a signature.
[[nodiscard]] bool is_valid_key(const Ed25519PublicKey& key);

// Returns whether the signature is valid; false also if it is not 64 bytes long. `key` must be valid.
[[nodiscard]] bool verify_eddsa(const Ed25519PublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
