// The program's manual page, as roff with the macros of man(7), and as text. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "native/command_line/command_line.hpp"

namespace portail {

// `version`: the program's name and number, "portail 1.2.3".
std::string manual_page(const Command& program, std::string_view version);

// The page as a terminal shows it: 80 columns, without control characters.
std::string manual_text(std::string_view page);

}  // namespace portail
