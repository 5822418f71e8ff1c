// Which name somebody meant who mistyped it. Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portail {

// "; did you mean serve?", where one of the known names is nearly that one; else empty.
std::string nearest_of(std::string_view name, std::span<const std::string> known);

// The same for the settings of the configuration file.
std::string nearest_setting(std::string_view name);

// The same for the variables of the environment.
std::string nearest_variable(std::string_view name);

}  // namespace portail
