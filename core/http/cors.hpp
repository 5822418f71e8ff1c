// Origins that browsers may call from, and their preflights. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// Allowed origins: validation of the setting, and matching of a request's Origin. Origins have the form that browsers
// send (Fetch standard, "Origin header"; URL standard, "host serializing"). Pure functions; any thread.

// Returns whether an operator may allow `setting`: an origin that a browser can send, `https://portal.example.com` or
// `http://localhost:4200` (lower case, without a trailing slash or the scheme's default port); or
// `https://*.example.com`, which matches every host below that domain, but not the domain. `*` and `null` are not
// allowed.
bool is_origin_setting(std::string_view setting);

// Returns whether one of the settings matches `origin`; an invalid setting matches nothing.
bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed);

// Cross-origin requests (Fetch standard, "CORS protocol"; docs/reference/contract.md, "Requests: CORS"). `allowed` are
// the operator's origins. A request of another origin is answered as a request without one. Any thread.

// Returns the 204 to a preflight from an allowed origin, without the headers of add_cors_headers; nullopt for every
// other request.
std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed);

// Adds the headers of every answer to an allowed origin.
void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed);

}  // namespace portail
