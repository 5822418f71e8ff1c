// Finds the text of a value in a JSON text, for values that must be kept byte for byte, such as an amount's decimals.
// Any thread.
#pragma once

#include <optional>
#include <string_view>

namespace portail {

// Returns the text of the value of member `name`, without surrounding white space: a view into `object_text`. Names are
// compared after unescaping. If there are several such members, the last one; if none, nullopt. `object_text` must be
// one JSON object that parse_json accepted; for any other text the result is a part of it, or nullopt.
std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name);

}  // namespace portail
