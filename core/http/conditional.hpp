// Conditional requests by entity tag (RFC 9110 sections 8.8.3 and 13; docs/reference/contract.md, "Answers:
// validators"). No resource has a date, so If-Modified-Since and If-Unmodified-Since are ignored. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/http/header_fields.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// The condition of a request that is false; If-Match precedes If-None-Match (RFC 9110 section 13.2.2).
enum class FailedCondition : std::uint8_t {
  none,
  if_match,            // no tag of it matches by strong comparison: 412
  if_match_weak,       // the same, and one of its tags is weak, which never matches: 412
  if_match_malformed,  // it is not a list of entity tags: 412
  if_none_match,       // a tag of it matches by weak comparison: 304 to GET and HEAD, else 412
};

// `tag` is the current strong tag of the resource without compression, quotes included. A client may have it with
// -gzip, -br or -zstd before the closing quote, from a compressed answer; both forms match, and so does `*`. A
// malformed list matches nothing.
FailedCondition failed_condition(const Request& request, std::string_view tag);

// Returns 412, with the message for `failed`.
Response precondition_problem(Language language, FailedCondition failed);

}  // namespace portail
