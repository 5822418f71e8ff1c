// The commands of the program as a flat list, for what is written of them: completions, the manual. Pure functions; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "native/command_line/command_line.hpp"

namespace portail {

struct NamedCommand {
  std::string name;  // "keys make"; of the program itself: empty
  const Command* command;
};

// A flag with its dashes, or an argument without; from the settings that a command takes, or from its own options.
struct CommandFlag {
  std::string name;
  std::string help;
  std::string variable;
  std::string default_value;
  std::vector<std::string> choices;
  bool takes_value;

  [[nodiscard]] bool is_flag() const { return name.starts_with('-'); }
};

// The program first, each command before those that it has of its own. As long as the program lives.
std::vector<NamedCommand> all_commands(const Command& program);

// In the order of the help, without those that no help speaks of.
std::vector<CommandFlag> flags_of(const Command& command);

}  // namespace portail
