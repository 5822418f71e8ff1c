// Generates keys for ES256 and signs with them, for `portail keys`, `portail token` and tests. Plain values; any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/context.hpp"
#include "core/crypto/es256.hpp"

namespace portail {

// The `d` of a JWK (RFC 7518 section 6.2.2.1): 32 bytes, the most significant first.
struct P256PrivateKey {
  std::array<std::byte, 32> scalar;
};
using P256Signature = std::array<std::byte, 64>;

[[nodiscard]] P256PrivateKey generate_p256_key(RandomSource& random);

// Both return nullopt if the scalar is zero or not below the order of the curve.
[[nodiscard]] std::optional<P256PublicKey> public_key_of(const P256PrivateKey& key);
// Deterministic (RFC 6979).
[[nodiscard]] std::optional<P256Signature> sign_es256(const P256PrivateKey& key, std::string_view message);

}  // namespace portail
