// The configuration file: the names of the settings in TOML or INI. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// Gives `values` what the file has of them; nothing happens where `file` is empty. An unknown name is wrong usage, and
// no fault repeats what is no name.
std::expected<void, Fault> read_configuration_file(const std::string& file, SettingValues& values);

}  // namespace portail
