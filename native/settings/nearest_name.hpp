// Which setting somebody meant who mistyped its name. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// "; did you mean issuer?", where a setting of the configuration file has nearly that name; else empty.
std::string nearest_setting(std::string_view name);

// The same for the variables of the environment.
std::string nearest_variable(std::string_view name);

}  // namespace portail
