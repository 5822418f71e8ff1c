// The configuration file: flags without their dashes, in TOML or INI. It settles what neither a flag nor the
// environment did. One thread.
#pragma once

#include <expected>
#include <string>

#include <CLI/CLI.hpp>

#include "native/settings/fault.hpp"

namespace portail {

// `command` has been parsed; nothing happens where `file` is empty. An unknown name is wrong usage. CLI11's own reading
// of configuration files is not used because there the file beats the environment.
std::expected<void, Fault> apply_configuration_file(CLI::App& command, const std::string& file);

}  // namespace portail
