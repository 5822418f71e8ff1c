// Cross-origin requests (Fetch standard, "CORS protocol"; Contract, Requests: CORS). `allowed` are the operator's
// origins. An answer to an origin that is not among them is the same as to a request without one. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// What an operator may allow: `https://portail.example.com`, `http://localhost:4200` (an origin as browsers send it,
// lower case, without a trailing slash), or `https://*.example.com`, which stands for every host below that domain and
// not for the domain. Neither `*` nor `null`.
bool is_origin_setting(std::string_view setting);

// Whether one of the settings covers `origin`; a setting that is none covers nothing.
bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed);

// The 204 to a preflight from an allowed origin, without what add_cors_headers adds; nullopt for every other request.
std::optional<Response> preflight_answer(const Request& request, std::span<const std::string> allowed);

// Adds what every answer to an allowed origin carries.
void add_cors_headers(Response& response, const Request& request, std::span<const std::string> allowed);

}  // namespace portail
