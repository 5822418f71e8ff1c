// base64url as JOSE wants it (RFC 7515 section 2, RFC 4648 section 5), over libsodium, strict: no padding, no other
// alphabet, no white space, no spare bits that are not zero. Thus one sequence of bytes has one text only. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// The decoded bytes; nullopt for text that is not strict base64url.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

// The same into `buffer`: the part of it that was filled; nullopt also where the bytes do not fit.
[[nodiscard]] std::optional<std::span<const std::byte>> base64url_decode(std::string_view text,
                                                                         std::span<std::byte> buffer);

[[nodiscard]] std::string base64url_encode(std::span<const std::byte> bytes);
[[nodiscard]] std::string base64url_encode(std::string_view bytes);

}  // namespace portail
