// The commands of the program as data: what each is called, takes, and does. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/settings_table.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// Where the value of an option goes; what the field holds before is shown as the default.
using OptionField = std::variant<bool*, std::optional<std::int64_t>*, std::chrono::seconds*, std::string*,
                                 std::optional<std::string>*, std::vector<std::string>*>;

// What one command alone takes, and no file: a flag with its dashes, or an argument without.
struct CommandOption {
  std::string name;
  std::string help;
  OptionField field;
  std::string variable = {};  // of the environment; empty: none
  std::string group = {};     // of the help
  std::string shown_default = {};
  std::vector<std::string> choices = {};
  std::string excludes = {};  // an option that it does not go with
  bool is_required = false;
};

// Either runs, or has commands of its own.
struct Command {
  std::string name;
  std::string help;
  std::vector<SettingName> settings = {};  // those of the table that it takes, before its own options in the help
  std::vector<CommandOption> options = {};
  std::vector<std::string> examples = {};  // lines as they would be typed, for the help
  // The fields are filled, and the settings complete and checked, each for itself.
  std::function<std::expected<void, Fault>(const SettingValues&)> run = {};
  std::vector<Command> commands = {};
};

// Every setting of the program.
std::vector<SettingName> all_settings();

// Runs the command that the arguments name. Help, by flag or by word, and --version go to standard output; a fault, and
// an output that could not be written, is one line on standard error; what comes back is the exit status of the
// program.
int run_command_line(const Command& program, std::string_view version, int argc, char** argv);

// One line on standard error, "portail: …".
void tell(std::string_view line);

}  // namespace portail
