// EMSA-PSS (RFC 8017 section 9.1) as PS256 wants it (RFC 7518 section 3.5): SHA-256, also for MGF1, and a salt of 32
// bytes. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "core/crypto/hash.hpp"

namespace portail {

// Both take an encoded message of ceil(`bits` / 8) bytes, where `bits` is the modulus's length less one: 66 bytes or
// more (two hashes, the 01 before the salt, the BC at the end).

// Whether `encoded` is an encoding of that hash of a message; unmasks it in its place.
[[nodiscard]] bool is_emsa_pss_of(const Hash32& message_hash, std::span<std::byte> encoded, std::size_t bits);

void write_emsa_pss(const Hash32& message_hash, const Hash32& salt, std::span<std::byte> encoded, std::size_t bits);

}  // namespace portail
