// HS256 (RFC 7518 section 3.2): HMAC-SHA-256 as a signature. Plain values, pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace portail {

inline constexpr std::size_t shortest_hmac_secret = 32;

// At least shortest_hmac_secret bytes.
struct HmacSecret {
  std::vector<std::byte> bytes;
};

// Takes the same time wherever the first wrong byte is. False too for a signature that is not 32 bytes long.
[[nodiscard]] bool verify_hs256(const HmacSecret& secret, std::string_view message,
                                std::span<const std::byte> signature);

}  // namespace portail
