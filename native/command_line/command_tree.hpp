// The commands of the program as a flat list, for completions and the manual. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "native/command_line/command_line.hpp"

namespace portail {

struct NamedCommand {
  std::string name;  // such as "keys make"; empty for the program itself
  const Command* command;
};

// A setting or option of a command: a flag with its dashes, or an argument without.
struct CommandFlag {
  std::string name;
  std::string help;
  std::string variable;
  std::string default_value;
  std::vector<std::string> choices;
  bool takes_value;

  [[nodiscard]] bool is_flag() const { return name.starts_with('-'); }
};

// The program first, each command before its subcommands. Valid as long as the program.
std::vector<NamedCommand> all_commands(const Command& program);

// In the order of the help, without hidden settings.
std::vector<CommandFlag> flags_of(const Command& command);

}  // namespace portail
