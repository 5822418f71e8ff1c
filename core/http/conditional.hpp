// Conditional requests by entity tag (RFC 9110 sections 8.8.3 and 13.1; docs/reference/contract.md, "Answers:
// validators"). `tag` is always the current strong tag of what is asked for, quotes included, as it is without
// compression. A client may hold it with -gzip, -br or -zstd before the closing quote, from a compressed answer: either
// form is this tag. Any thread.
#pragma once

#include <string_view>

#include "core/http/request.hpp"

namespace portail {

// True where If-None-Match names the tag, compared weakly, or is `*`: GET answers 304. A malformed list names nothing.
bool if_none_match_names(const Request& request, std::string_view tag);

// False where If-Match does not name the tag, compared strongly, and is not `*`: the answer is 412. True where the
// header is absent; a malformed list names nothing.
bool if_match_allows(const Request& request, std::string_view tag);

}  // namespace portail
