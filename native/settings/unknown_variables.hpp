// Finds environment variables that look like settings but are none. Any thread, while no thread changes the
// environment.
#pragma once

#include <string>
#include <vector>

namespace portail {

// Returns a warning for each variable PORTAIL_… of the null-terminated `environment` that belongs to no setting: its
// name and the nearest known one, never its value.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace portail
