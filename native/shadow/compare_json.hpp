// Compares JSON bodies by the meaning that the contract gives to their members, numbers by their exact value. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "native/shadow/difference.hpp"
#include "native/shadow/json_rules.hpp"

namespace portail::shadow {

// Returns the canonical text of a JSON number: equal for `1`, `1.0` and `1e0`, different for all other values. Requires
// a text that parse_json accepted.
std::string canonical_decimal(std::string_view number);

// Appends the differences of two bodies, which parse_json accepted without duplicate names. If they are too many, or a
// list or object has too many elements, appends one that says so instead, of the row "Answers: JSON text".
void compare_json(const BodyRule& rule, std::string_view portal, std::string_view upstream, Differences& found);

inline constexpr std::size_t max_differences = 10'000;                      // of one body
inline constexpr std::size_t max_differences_size = 4U << 20U;              // their texts, in bytes
inline constexpr std::string_view too_many = "body, too many differences";  // the location

}  // namespace portail::shadow
