// Authentication (docs/reference/contract.md, "Tokens"): finds a request's bearer token, verifies it or finds it in the
// cache, and reads its claims.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/reason.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// The reason why a request has no caller.
struct AuthenticationFault {
  enum class Kind : std::uint8_t {
    no_token,   // 401: no bearer token was sent; the challenge has no error (RFC 6750 section 3)
    bad_token,  // 401: error="invalid_token", and the description
    no_keys,    // 503: the token is well formed, but there are no keys to verify it
  };
  Kind kind;
  Reason reason;  // its text is the description
};

using Authentication = std::expected<std::shared_ptr<const Caller>, AuthenticationFault>;

// Returns the caller of a request. exp and nbf are compared with the clock, with the leeway of the settings, also on a
// hit in context.token_cache. If the token names an unknown key, waits for a refresh of `keys`, and fails if the
// refresh fails. `request` and `settings` must outlive the Task. Any thread.
[[nodiscard]] Task<Authentication> authenticate(Context& context, const Request& request, KeySource& keys,
                                                const TokenSettings& settings);

// The identity of a request, with the answer to one whose token is refused (docs/reference/contract.md, "Tokens").

// A caller, or the refusal of the request: 401, or 503 if there are no keys to verify its token.
struct Identity {
  std::shared_ptr<const Caller> caller;  // null with a refusal
  std::optional<Response> refusal;
  Reason reason = Reason::none;  // of the refusal, for the log
};

// Authenticates the request; never fails. `request` and `settings` must outlive the Task. Any thread.
Task<Identity> identify(Context& context, const Request& request, KeySource& keys, const TokenSettings& settings,
                        Language language);

}  // namespace portail
