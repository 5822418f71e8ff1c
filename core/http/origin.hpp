// Origins as browsers write them (Fetch standard, "Origin header"; URL standard, "host serializing"), and which of them
// an operator allows. The one rule by which settings are judged and requests are matched. Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portail {

// What an operator may allow: an origin that some browser can send, `https://portail.example.com` or
// `http://localhost:4200` (lower case, no trailing slash, no port that is the scheme's own), or
// `https://*.example.com`, which stands for every host below that domain and not for the domain. Neither `*` nor
// `null`.
bool is_origin_setting(std::string_view setting);

// Whether one of the settings covers `origin`; a setting that is none covers nothing.
bool is_allowed_origin(std::string_view origin, std::span<const std::string> allowed);

}  // namespace portail
