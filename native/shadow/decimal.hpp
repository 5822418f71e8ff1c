// The exact value of JSON numbers, whatever their spelling. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail::shadow {

// Returns the canonical text of a JSON number: equal for `1`, `1.0` and `1e0`, different for all other values. Requires
// a text that parse_json accepted.
std::string canonical_decimal(std::string_view number);

}  // namespace portail::shadow
