// The hashes of the core, by libsodium: BLAKE2b for validators (ETag) and the token cache, SHA-256 for signatures,
// HMAC-SHA-256 for HS256 and for the subject in logs. Pure functions and plain values; any thread.
//
// The core does not call sodium_init(), which these functions do not need. It would only add a faster BLAKE2b on some
// processors and a random generator that the core does not use. A host may call it before it creates the service.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portail {

using Hash16 = std::array<std::byte, 16>;
using Hash32 = std::array<std::byte, 32>;

// Incremental BLAKE2b without a key, 16 bytes long (RFC 7693). One thread at a time.
class Blake2b {
 public:
  Blake2b();
  void update(std::string_view bytes);
  // Returns the hash. Must be the last call.
  [[nodiscard]] Hash16 finish();

 private:
  std::array<std::byte, 384> state_;
};

[[nodiscard]] Hash16 blake2b(std::string_view bytes);

// SHA-256 (FIPS 180-4).
[[nodiscard]] Hash32 sha256(std::span<const std::byte> bytes);

// BLAKE2b with a key, 32 bytes long.
[[nodiscard]] Hash32 keyed_blake2b(const Hash32& key, std::string_view bytes);

// HMAC (RFC 2104) with SHA-256; a key of any length.
[[nodiscard]] Hash32 hmac_sha256(std::span<const std::byte> key, std::string_view message);

// Pseudonyms of subjects for the log. Pure functions; any thread.

// Returns 32 hexadecimal digits: HMAC-SHA-256 of the subject, shortened. With the same key, a subject has the same
// pseudonym.
[[nodiscard]] std::string pseudonym_of(std::string_view subject, std::string_view key);

}  // namespace portail
