// Text that somebody else chose, as it may stand in one line for a person. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// `text` with ? for each control character, those of C1 in UTF-8 too: neither line feeds nor a terminal's commands.
std::string printable(std::string_view text);

}  // namespace portail
