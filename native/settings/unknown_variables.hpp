// Environment variables that were meant as settings, and are none. Any thread, while no thread changes the environment.
#pragma once

#include <string>
#include <vector>

namespace portail {

// A line for each variable PORTAIL_… of `environment`, which ends with null, that no setting has: its name, and the
// nearest one that is known; never its value.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace portail
