// EMSA-PSS (RFC 8017 section 9.1) for PS256 (RFC 7518 section 3.5): SHA-256, also for MGF1, and a salt of 32
// bytes. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "core/crypto/hash.hpp"

namespace portail {

// For both functions, `encoded` has ceil(`bits` / 8) bytes, at least 66 (two hashes, the 01 before the salt, the BC at
// the end). `bits` is the bit length of the modulus minus one.

// Returns whether `encoded` is an encoding of that hash of a message; unmasks it in place.
[[nodiscard]] bool is_emsa_pss_of(const Hash32& message_hash, std::span<std::byte> encoded, std::size_t bits);

void write_emsa_pss(const Hash32& message_hash, const Hash32& salt, std::span<std::byte> encoded, std::size_t bits);

}  // namespace portail
