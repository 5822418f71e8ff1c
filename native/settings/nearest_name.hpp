// Finds the known name nearest to a mistyped one. Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portail {

// The one of the known names that alone begins as that one does, or is nearly that one; else empty.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// The same as a question, "; did you mean serve?"; else empty.
std::string nearest_of(std::string_view name, std::span<const std::string> known);

// The same for the settings of the configuration file.
std::string nearest_setting(std::string_view name);

// The same for the variables of the environment.
std::string nearest_variable(std::string_view name);

}  // namespace portail
