// base64url of JOSE (RFC 7515 section 2, RFC 4648 section 5), with libsodium. Decoding is strict: no padding, other
// alphabet, white space or non-zero spare bits, so that each sequence of bytes has one text only. Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// Returns the decoded bytes; nullopt for text that is not strict base64url.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

// Decodes into `buffer` and returns its filled part; nullopt also if the bytes do not fit.
[[nodiscard]] std::optional<std::span<const std::byte>> base64url_decode(std::string_view text,
                                                                         std::span<std::byte> buffer);

[[nodiscard]] std::string base64url_encode(std::span<const std::byte> bytes);
[[nodiscard]] std::string base64url_encode(std::string_view bytes);

}  // namespace portail
