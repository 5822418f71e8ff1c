// Cross-origin requests (Fetch standard, "CORS protocol"; docs/reference/contract.md, "Requests: CORS"). `allowed` are
// the operator's origins (core/http/origin.hpp). An answer to an origin that is not among them is the same as to a
// request without one. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// The 204 to a preflight from an allowed origin, without what add_cors_headers adds; nullopt for every other request.
std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed);

// Adds what every answer to an allowed origin carries.
void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed);

}  // namespace portail
