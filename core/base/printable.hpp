// Makes text from an untrusted source safe for one line that a person reads: nothing in it ends the line, commands the
// terminal or turns the order of what is read. That is every control character, of C1 too, the line and paragraph
// separators, and what controls the direction of text. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// `text` with ? for each of these characters, and for each byte that is not UTF-8.
std::string printable(std::string_view text);

// The same for one line of JSON: \u009b for such a character, so that the value stays what it is.
std::string printable_json(std::string_view line);
void append_printable_json(std::string& out, std::string_view line);

}  // namespace portail
