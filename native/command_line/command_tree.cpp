#include "native/command_line/command_tree.hpp"

#include <variant>

namespace portail {
namespace {

void add_commands(const std::string& name, const Command& command, std::vector<NamedCommand>& all) {
  all.push_back({name, &command});
  for (const Command& inner : command.commands) {
    add_commands(name.empty() ? inner.name : name + ' ' + inner.name, inner, all);
  }
}

CommandFlag flag_of(const Setting& setting) {
  CommandFlag flag{.name = "--" + std::string(setting.name),
                   .help = std::string(setting.help),
                   .variable = std::string(setting.variable),
                   .default_value = std::string(setting.default_value),
                   .choices = {},
                   .takes_value = setting.kind != SettingKind::toggle};
  for (const std::string_view choice : setting.choices) {
    if (!choice.empty()) flag.choices.emplace_back(choice);
  }
  return flag;
}

CommandFlag flag_of(const CommandOption& option) {
  return {.name = option.name,
          .help = option.help,
          .variable = option.variable,
          .default_value = option.shown_default,
          .choices = option.choices,
          .takes_value = !std::holds_alternative<bool*>(option.field)};
}

}  // namespace

std::vector<NamedCommand> all_commands(const Command& program) {
  std::vector<NamedCommand> all;
  add_commands({}, program, all);
  return all;
}

std::vector<CommandFlag> flags_of(const Command& command) {
  std::vector<CommandFlag> flags;
  for (const SettingName setting : command.settings) {
    if (!setting->is_hidden) flags.push_back(flag_of(*setting));
  }
  for (const CommandOption& option : command.options) flags.push_back(flag_of(option));
  return flags;
}

}  // namespace portail
