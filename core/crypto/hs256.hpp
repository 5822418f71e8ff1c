// HS256 (RFC 7518 section 3.2): HMAC-SHA-256 as a signature. Plain values, pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace portail {

inline constexpr std::size_t min_hmac_secret_size = 32;

// At least min_hmac_secret_size bytes.
struct HmacSecret {
  std::vector<std::byte> bytes;
};

// Returns whether the signature is valid, in constant time; false also if it is not 32 bytes long.
[[nodiscard]] bool verify_hs256(const HmacSecret& secret, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
