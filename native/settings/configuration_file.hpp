// The configuration file: settings by their names, in TOML. One thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// Suggests the setting of the file nearest to a mistyped one: "; did you mean store?", or an empty text.
std::string suggested_setting(std::string_view name);

// Sets the values of the file; does nothing if `file` is empty. Invalid TOML, an unknown name and a value of the wrong
// type are wrong usage, with line and column. No fault repeats text that is not the name of a setting.
std::expected<void, Fault> read_configuration_file(const std::string& file, SettingValues& values);

// Reads the file again and checks the settings; flags and environment are those of `before`.
std::expected<SettingValues, Fault> reread_configuration_file(const SettingValues& before);

}  // namespace portail
