// Suggests the setting of the configuration file nearest to a mistyped one. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Returns "; did you mean store?", or an empty text.
std::string suggested_setting(std::string_view name);

}  // namespace portail
