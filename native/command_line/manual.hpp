// The program's manual page, as roff with the macros of man(7). A pure function; any thread.
#pragma once

#include <string>
#include <string_view>

#include "native/command_line/command_line.hpp"

namespace portail {

// `version`: the program's name and number, "portail 1.2.3".
std::string manual_page(const Command& program, std::string_view version);

}  // namespace portail
