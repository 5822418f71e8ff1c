// The text of a value inside a JSON text, for what must be kept to the letter: an amount's decimals. Any thread.
#pragma once

#include <optional>
#include <string_view>

namespace portail {

// The text of the member of exactly that name (compared after unescaping, UTF-8), without surrounding white space: a
// view into `object_text`; the last one where there are several, nullopt where there is none. `object_text` is one JSON
// object that was validated before (parse_json); of anything else the answer is some part of the text, or nullopt.
std::optional<std::string_view> raw_member(std::string_view object_text, std::string_view name);

}  // namespace portail
