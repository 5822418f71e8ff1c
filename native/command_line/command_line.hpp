// The commands of the program as data: name, help, settings, options and function. One thread.
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

#include "native/settings/fault.hpp"
#include "native/settings/setting_table.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// The variable that receives the value of an option; its initial value is shown as the default.
using OptionField = std::variant<bool*, std::optional<std::int64_t>*, std::chrono::seconds*, std::string*,
                                 std::optional<std::string>*, std::vector<std::string>*>;

// An option of one command, absent from the configuration file: a flag with its dashes, or an argument without.
struct CommandOption {
  std::string name;
  std::string also = {};  // another name of a flag
  std::string help;
  OptionField field;
  std::string variable = {};  // of the environment; empty if there is none
  std::string group = {};     // in the help
  std::string shown_default = {};
  std::vector<std::string> choices = {};
  std::string needs = {};  // another option, without which this one is refused, since it has no effect
  bool is_required = false;
};

// A command has a function, subcommands, or both.
struct Command {
  std::string name;
  std::string help;
  std::vector<SettingName> settings = {};  // of the table; before its own options in the help
  std::vector<CommandOption> options = {};
  std::vector<std::string> variables = {};  // of the environment, which its function or those of its subcommands read
  std::string variables_need = {};          // the flag without which the variables of the options are not read
  std::vector<std::string> examples = {};   // command lines, for the help
  // Called after the fields are set and each setting is checked by itself.
  std::function<std::expected<void, Fault>(const SettingValues&)> run = {};
  std::vector<Command> commands = {};
};

// Every setting of the program.
std::vector<SettingName> all_settings();

// Runs the command that the arguments name, and returns the exit status of the program. Help and version go to standard
// output. A fault, including a failed write to standard output, is one line on standard error.
int run_command_line(const Command& program, std::string_view version, int argc, char** argv);

// Prints "portail: LINE" on standard error.
void print_error(std::string_view line);

}  // namespace portail
