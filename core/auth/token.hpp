// A compact JWS (RFC 7515 section 7.1) and its verification (docs/reference/contract.md, "Tokens"). Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/json/reader.hpp"

namespace portail {

inline constexpr std::size_t longest_token = 8000;  // in bytes

// The payload of a token with a good signature by the key that it names, whatever the payload is. `jwk`, `jku`, `x5u`
// and `x5c` in a header are ignored: only `keys` are trusted. Else a sentence for the token's owner, a constant without
// '"' or '\'.
[[nodiscard]] std::expected<std::string, std::string_view> verify_jws(std::string_view token, const KeySet& keys);

// The same for a payload that is claims: the root of the document is an object. Nothing of it is parsed before the
// signature is verified.
[[nodiscard]] std::expected<JsonDocument, std::string_view> verify_token(std::string_view token, const KeySet& keys);

// Why no key set can make the token good, where its form shows it: a sentence as above; nullopt for a token that the
// right key may have signed. Its claims are parsed without a verified signature, and nothing of them is given away.
[[nodiscard]] std::optional<std::string_view> fault_of_form(std::string_view token);

// Whether the token is refused because it names a key (kid) that `keys` lacks: a newer key set may have it.
[[nodiscard]] bool names_unknown_key(std::string_view token, const KeySet& keys);

}  // namespace portail
