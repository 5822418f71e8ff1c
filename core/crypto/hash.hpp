// Hashes of the core, over libsodium: BLAKE2b for validators (ETag) and the token cache, SHA-256 for signatures,
// HMAC-SHA-256 for HS256 and for the subject in logs. Pure functions and plain values; any thread.
//
// The core never calls sodium_init(), so there is nothing to forget: none of the functions used here need it. All it
// would add is a faster BLAKE2b on some processors and a random generator that the core does not use (a host that has
// both may call it before it makes the service).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace portail {

using Hash16 = std::array<std::byte, 16>;
using Hash32 = std::array<std::byte, 32>;

// BLAKE2b without a key, 16 bytes long (RFC 7693), of bytes that come piece by piece. One value, one thread at a time.
class Blake2b {
 public:
  Blake2b();
  void update(std::string_view bytes);
  // The hash of everything so far; once, after which the value must not be used again.
  [[nodiscard]] Hash16 finish();

 private:
  std::array<std::byte, 384> state_;
};

[[nodiscard]] Hash16 blake2b(std::string_view bytes);

// FIPS 180-4.
[[nodiscard]] Hash32 sha256(std::span<const std::byte> bytes);

// BLAKE2b with a key, 32 bytes long.
[[nodiscard]] Hash32 keyed_blake2b(const Hash32& key, std::string_view bytes);

// RFC 2104 with SHA-256; a key of any length.
[[nodiscard]] Hash32 hmac_sha256(std::span<const std::byte> key, std::string_view message);

}  // namespace portail
