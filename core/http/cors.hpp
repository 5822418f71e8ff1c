// Cross-origin requests (Fetch standard, "CORS protocol"; docs/reference/contract.md, "Requests: CORS"). `allowed` are
// the operator's origins (core/http/origin.hpp). A request of another origin is answered as a request
// without one. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// Returns the 204 to a preflight from an allowed origin, without the headers of add_cors_headers; nullopt for every
// other request.
std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed);

// Adds the headers of every answer to an allowed origin.
void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed);

}  // namespace portail
