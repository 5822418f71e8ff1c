// Suggests the known name nearest to a mistyped one, in any case of the letters. Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portail {

// Returns the only known name with this prefix, or the nearest similar one; else an empty text.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// The same as a question, "; did you mean serve?", or an empty text.
std::string suggestion_for(std::string_view name, std::span<const std::string> known);

// The same among the names of the configuration file.
std::string suggested_setting(std::string_view name);

// The same among the environment variables.
std::string suggested_variable(std::string_view name);

// The same among those of the plain modules.
std::string suggested_module_variable(std::string_view name);

}  // namespace portail
