// The identity of a request, with the answer to one whose token is refused (docs/reference/contract.md, "Tokens").
#pragma once

#include <memory>
#include <optional>

#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/language.hpp"
#include "core/http/reason.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

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
