// From a request to its caller (docs/reference/contract.md, "Tokens"): finds the bearer token, verifies it or remembers
// it, reads its claims.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"

namespace portail {

// Why there is no caller.
struct AuthenticationFault {
  enum class Kind : std::uint8_t {
    no_token,   // 401: no bearer token came, and the challenge has no error (RFC 6750 section 3)
    bad_token,  // 401: error="invalid_token", and the description
    no_keys,    // 503: the form is good, and without keys every good token would look bad
  };
  Kind kind;
  // A constant English sentence without '"' or '\', made for the token's owner; holds nothing of the token or the keys.
  std::string_view description;
};

using Authentication = std::expected<std::shared_ptr<const Caller>, AuthenticationFault>;

// The clock is compared with exp and nbf, with the leeway of the settings, also where context.token_cache knows the
// token. Waits where the token names a key that `keys` may have after a refresh, and fails where `keys` fails then.
// `request` and `settings` outlive the Task. Any thread.
[[nodiscard]] Task<Authentication> authenticate(Context& context, const Request& request, KeySource& keys,
                                                const TokenSettings& settings);

}  // namespace portail
