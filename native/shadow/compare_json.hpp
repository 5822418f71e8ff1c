// Compares two JSON bodies by the meaning that the contract gives to their members. Pure functions; any thread.
#pragma once

#include <string_view>

#include "native/shadow/difference.hpp"
#include "native/shadow/json_rules.hpp"

namespace portail::shadow {

// Appends the differences of two bodies, which parse_json accepted without duplicate names.
void compare_json(const BodyRule& rule, std::string_view portal, std::string_view upstream, Differences& found);

}  // namespace portail::shadow
