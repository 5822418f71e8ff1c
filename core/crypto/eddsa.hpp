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

// False for an encoding that is not canonical, for a point off the curve, and for a point of low order, with which one
// signature fits many messages. Costs about as much as verifying a signature.
[[nodiscard]] bool is_sound(const Ed25519PublicKey& key);

// False too for a signature that is not 64 bytes long. `key` is sound.
[[nodiscard]] bool verify_eddsa(const Ed25519PublicKey& key, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
