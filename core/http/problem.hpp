// Error answers: ABP's body, its language, and the headers that belong to them (docs/reference/contract.md, "Errors").
// What every answer carries (Vary, X-Correlation-Id, CORS …) is added elsewhere. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/language.hpp"
#include "core/http/messages.hpp"
#include "core/http/response.hpp"

namespace portail {

// {"error":{"code":null,"message":"…","details":null,"data":{},"validationErrors":null}}. `values` are the message's
// (message_text); an empty `code` is null.
Response problem(int status, Language language, Message message, std::initializer_list<std::string_view> values = {},
                 std::string_view code = {});

// One fault of a request's parameters or body.
struct ValidationError {
  Message message;
  std::string_view member = {};  // in camelCase, "maxResultCount"; empty where no member is at fault
};

// 400 with `details` and `validationErrors`. A message's {0} is the member.
Response validation_problem(Language language, std::span<const ValidationError> errors);

// 401. Without `token_fault` no token was sent; with it, one was, and this is what its owner is told
// (error_description, RFC 6750 section 3): a short English phrase.
Response unauthorized_problem(Language language, std::optional<std::string_view> token_fault);

// 405; `allow` is the list of the methods that work, "GET, HEAD".
Response method_not_allowed_problem(Language language, std::string_view allow);

// 503 with Retry-After.
Response unavailable_problem(Language language, int retry_after_seconds = 5);

// A limit of requests that one more would exceed.
struct ExceededLimit {
  std::string_view policy;              // its name: lower-case letters
  std::int64_t quota = 0;               // requests in the window
  std::int64_t window_seconds = 0;      // at least 1
  std::int64_t seconds_until_room = 0;  // for one more, rounded up: at least 1
};

// 429 with Retry-After, RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
Response too_many_requests_problem(Language language, const ExceededLimit& limit);

// An answer after which the connection is closed: 400, 431 or 505.
Response framing_problem(int status, Language language, Message message);

}  // namespace portail
