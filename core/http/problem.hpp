// Error answers: ABP's body, its language and the headers of errors (docs/reference/contract.md, "Errors"). The headers
// of every answer are added elsewhere (response.hpp, cors.hpp). Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/messages.hpp"
#include "core/http/response.hpp"

namespace portail {

// {"error":{"code":null,"message":"…","details":null,"data":{},"validationErrors":null}}. `values` replace the
// placeholders of the message (message_text); an empty `code` is null.
Response problem(int status, Language language, Message message, std::initializer_list<std::string_view> values = {},
                 std::string_view code = {});

// Returns that body, with any message. `data` is a JSON object.
std::string error_body(std::string_view message, std::string_view code, std::string_view data = "{}");

// Returns 403 for a missing permission, `data` names it as ABP's policies are named: {"PolicyName":"…"}.
Response permission_problem(Language language, Message message, std::string_view permission);

// An error in a request's parameters or body.
struct ValidationError {
  Message message;
  std::string_view member = {};  // in camelCase, "maxResultCount"; empty: not of a member
};

// Returns 400 with `details` and `validationErrors`. A message's {0} is the member.
Response validation_problem(Language language, std::span<const ValidationError> errors);

// Returns 401. `token_fault` is the error_description of an invalid token (RFC 6750 section 3), a short English phrase;
// nullopt: no token was sent.
Response unauthorized_problem(Language language, std::optional<std::string_view> token_fault);

// Returns 405; `allow` is the list of the allowed methods, "GET, HEAD".
Response method_not_allowed_problem(Language language, std::string_view allow);

// Returns 503 with Retry-After.
Response unavailable_problem(Language language, int retry_after_seconds = 5);

// Returns the answer to a request that failed: 400 or 408 if its body did, 503, or 500 and a line in the log. A store
// logs the failures of 503 itself, at its own rate: while an engine is unavailable, not one line for each request.
Response failure_problem(Context& context, Failure failure, Language language);

// A rate limit that the request exceeds.
struct ExceededLimit {
  std::string_view policy;               // its name: lower-case letters
  Reason reason = Reason::none;          // for the log
  std::int64_t quota = 0;                // requests in the window
  std::int64_t window_seconds = 0;       // at least 1
  std::int64_t retry_after_seconds = 0;  // until one more request is allowed, rounded up: at least 1
};

// Returns 429 with Retry-After, RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and
// 4).
Response too_many_requests_problem(Language language, const ExceededLimit& limit);

// Returns an answer after which the connection is closed: 400, 408, 431 or 505.
Response framing_problem(int status, Language language, Message message);

}  // namespace portail
