// Conditional requests by entity tag (RFC 9110 sections 8.8.3 and 13.1; docs/reference/contract.md, "Answers:
// validators"). `tag` is the current strong tag of the resource without compression, quotes included. A client may have
// it with -gzip, -br or -zstd before the closing quote, from a compressed answer; both forms match. Any thread.
#pragma once

#include <string_view>

#include "core/http/request.hpp"

namespace portail {

// Returns true if If-None-Match contains the tag by weak comparison, or is `*`: GET answers 304. A malformed list
// matches nothing.
bool if_none_match_names(const Request& request, std::string_view tag);

// Returns true if If-Match contains the tag by strong comparison, is `*`, or is absent; otherwise the answer is 412. A
// malformed list matches nothing.
bool if_match_allows(const Request& request, std::string_view tag);

}  // namespace portail
