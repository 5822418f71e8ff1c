// The configuration file: the names of the settings in TOML. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// Gives `values` what the file has of them; nothing happens where `file` is empty. What is no TOML, an unknown name and
// a value of another type are wrong usage, with line and column; no fault repeats what is no name of a setting.
std::expected<void, Fault> read_configuration_file(const std::string& file, SettingValues& values);

// What the settings are with the file as it is now, checked; flags and environment are those of `before`.
std::expected<SettingValues, Fault> reread_configuration_file(const SettingValues& before);

}  // namespace portail
