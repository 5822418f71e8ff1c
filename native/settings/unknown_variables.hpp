// Finds environment variables whose names resemble settings, but are not settings. Any thread, while no thread changes
// the environment.
#pragma once

#include <string>
#include <vector>

namespace portail {

// Returns a warning for each variable PORTAIL_… of the null-terminated `environment` that belongs to no setting: its
// name and the nearest known one, never its value.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace portail
