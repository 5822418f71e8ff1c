// Allowed origins: validation of the setting, and matching of a request's Origin. Origins have the form that browsers
// send (Fetch standard, "Origin header"; URL standard, "host serializing"). Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portail {

// Returns whether an operator may allow `setting`: an origin that a browser can send, `https://portal.example.com` or
// `http://localhost:4200` (lower case, without a trailing slash or the scheme's default port); or
// `https://*.example.com`, which matches every host below that domain, but not the domain. `*` and `null` are not
// allowed.
bool is_origin_setting(std::string_view setting);

// Returns whether one of the settings matches `origin`; an invalid setting matches nothing.
bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed);

}  // namespace portail
