// Suggests the setting nearest to a mistyped one. Each function returns "; did you mean store?", or an empty text. Any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Among the names of the configuration file.
std::string suggested_setting(std::string_view name);

// Among the environment variables.
std::string suggested_variable(std::string_view name);

// Among those of the plain modules.
std::string suggested_module_variable(std::string_view name);

}  // namespace portail
