// Verification of tokens: compact JWS (RFC 7515 section 7.1; docs/reference/contract.md, "Tokens"). Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/http/reason.hpp"
#include "core/json/reader.hpp"

namespace portail {

inline constexpr std::size_t max_token_size = 8000;  // in bytes

// Returns the payload of a token with a valid signature by the key that it names; the payload is not checked. `jwk`,
// `jku`, `x5u` and `x5c` in a header are ignored: only `keys` are trusted.
[[nodiscard]] std::expected<std::string, Reason> verify_jws(std::string_view token, const KeySet& keys);

// The same for a payload of claims: the root of the document is an object. The payload is parsed only after the
// signature is verified.
[[nodiscard]] std::expected<JsonDocument, Reason> verify_token(std::string_view token, const KeySet& keys);

// Returns the error of a token that no key set could verify; nullopt for a token that some key may have signed. The
// claims are parsed without a verified signature; nothing of them is returned.
[[nodiscard]] std::optional<Reason> form_fault(std::string_view token);

// Returns whether the token names a key (kid) that `keys` lacks: a newer key set may have it.
[[nodiscard]] bool names_unknown_key(std::string_view token, const KeySet& keys);

}  // namespace portail
