// The lines of a log: JSON objects without line breaks. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

// Returns {"time":"…","level":"…"…}. `members` are JSON members, each after a comma; characters of them that are not
// printable are escaped.
[[nodiscard]] std::string log_line(Instant time, std::string_view level, std::string_view members);

// Appends `value` as a JSON string; in invalid UTF-8 each byte outside ASCII becomes '?'.
void append_log_string(std::string& out, std::string_view value);

}  // namespace portail
