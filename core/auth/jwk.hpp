// Reads a key of a JWK set and checks it by docs/reference/contract.md, "Tokens: keys refused". RFC 7517, RFC 7518
// section 6, RFC 8037. Pure functions; any thread.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/json/value.hpp"

namespace portail {

// Returns the key, bound to one algorithm; or the reason for its refusal, a constant: "its use is not sig".
[[nodiscard]] std::expected<VerificationKey, std::string_view> read_jwk(JsonObject jwk);

// Returns the kid if it is a string; valid as long as the document.
[[nodiscard]] std::optional<std::string_view> kid_of(JsonObject jwk);

// Returns whether the key has members of a private key (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2).
[[nodiscard]] bool has_private_members(JsonObject jwk);

}  // namespace portail
