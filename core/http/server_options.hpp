// `OPTIONS *`: a request for the options of the server as a whole (RFC 9110 section 9.3.7). Any thread.
#pragma once

#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// Returns whether the request is `OPTIONS *`, or its absolute-form, which has neither path nor query (RFC 9112 section
// 3.2.4).
bool asks_server_options(const Request& request);

// Returns 204; `allow` is the list of the methods, "GET, HEAD".
Response server_options(std::string_view allow);

}  // namespace portail
