// Escapes untrusted text for one line of a terminal or a log. Not printable are: control characters (C0 and C1), the
// line and paragraph separators, and the characters that control the direction of text. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Returns `text` with ? for each such character, and for each byte that is not UTF-8.
std::string printable(std::string_view text);

// The same for one line of JSON, with \u009b for such a character, so that the value is unchanged.
std::string printable_json(std::string_view line);
void append_printable_json(std::string& out, std::string_view line);

}  // namespace portail
