// The one place that knows CLI11's App.
#include "native/command_line/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>

#include "native/host/terminal.hpp"
#include "native/settings/configuration_file.hpp"

namespace portail {
namespace {

// A command as CLI11 has it, for as long as the line is parsed and run.
struct DeclaredCommand {
  const Command& command;
  CLI::App& app;
  std::vector<std::pair<const Setting*, CLI::Option*>> settings = {};
  std::vector<DeclaredCommand> commands = {};
};

CLI::Option* declare_setting(CLI::App& app, const Setting& setting, const SettingValues& defaults) {
  const std::string flag = "--" + std::string(setting.name);
  CLI::Option* option = setting.kind == SettingKind::toggle ? app.add_flag(flag) : app.add_option(flag);
  option->description(std::string(setting.help))->envname(std::string(setting.variable));
  option->group(setting.is_hidden ? "" : setting.group.empty() ? "Options" : std::string(setting.group));
  if (setting.kind != SettingKind::toggle) {
    option->default_str(defaults.text(setting));
    option->type_name(setting.kind == SettingKind::number ? "INT" : "TEXT");
  }
  if (setting.is_list) option->expected(CLI::detail::expected_max_vector_size)->allow_extra_args(false);
  return option;
}

CLI::Option* add_option(CLI::App& app, const CommandOption& declared) {
  return std::visit(
      [&app, &declared]<typename Field>(Field* field) {
        if constexpr (std::is_same_v<Field, bool>) {
          return app.add_flag(declared.name, *field, declared.help);
        } else {
          CLI::Option* option = app.add_option(declared.name, *field, declared.help);
          if constexpr (std::is_same_v<Field, std::string> || std::is_same_v<Field, std::int64_t>) {
            option->capture_default_str();
          }
          if constexpr (std::is_same_v<Field, std::vector<std::string>>) option->allow_extra_args(false);
          return option;
        }
      },
      declared.field);
}

void declare_option(CLI::App& app, const CommandOption& declared) {
  CLI::Option* option = add_option(app, declared)->required(declared.is_required);
  if (!declared.variable.empty()) {
    option->envname(declared.variable);
    // A variable has one text for all the values.
    if (std::holds_alternative<std::vector<std::string>*>(declared.field)) option->delimiter(',');
  }
  if (!declared.group.empty()) option->group(declared.group);
  if (!declared.shown_default.empty()) option->default_str(declared.shown_default);
  if (!declared.choices.empty()) option->check(CLI::IsMember(declared.choices));
}

DeclaredCommand declare(CLI::App& app, const Command& command, const SettingValues& defaults) {
  DeclaredCommand declared{.command = command, .app = app};
  for (const SettingName setting : command.settings) {
    declared.settings.emplace_back(&*setting, declare_setting(app, *setting, defaults));
  }
  for (const CommandOption& option : command.options) declare_option(app, option);
  for (const CommandOption& option : command.options) {
    if (!option.excludes.empty()) app.get_option(option.name)->excludes(app.get_option(option.excludes));
  }
  if (!command.run) app.require_subcommand(1);
  for (const Command& inner : command.commands) {
    declared.commands.push_back(declare(*app.add_subcommand(inner.name, inner.help), inner, defaults));
  }
  return declared;
}

// What the flags and the environment gave: CLI11 keeps the two in one place, and the order of the flags in another.
void give_settings(const DeclaredCommand& declared, SettingValues& values) {
  for (const auto& [setting, option] : declared.settings) {
    if (option->count() == 0) continue;
    const bool by_flag = std::ranges::contains(declared.app.parse_order(), option);
    std::vector<std::string> texts = option->results();
    if (!setting->is_list) texts.erase(texts.begin(), texts.end() - 1);  // a toggle may be given twice
    values.give(*setting, texts, by_flag ? SettingSource::flag : SettingSource::environment);
  }
}

std::expected<void, Fault> run(const DeclaredCommand& declared) {
  for (const DeclaredCommand& inner : declared.commands) {
    if (inner.app.parsed()) return run(inner);
  }
  SettingValues values;
  give_settings(declared, values);
  if (auto read = read_configuration_file(values.text("config"), values); !read) return read;
  if (auto checked = values.check(); !checked) return checked;
  return declared.command.run(values);
}

// Only names: a value, and a word that nothing asked for, may be a secret that lost its flag.
std::string not_expected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  std::string names;
  for (const std::string& word : words) {
    if (word.starts_with("--")) names += " " + word.substr(0, word.find('='));
  }
  const std::string what = words.size() == 1 ? "argument was" : "arguments were";
  return names.empty() ? std::to_string(words.size()) + " " + what + " not expected"
                       : "The following " + what + " not expected:" + names;
}

int wrong_line(const std::string& why) {
  tell(why + "; see portail --help");
  return static_cast<int>(ExitStatus::wrong_usage);
}

}  // namespace

std::vector<SettingName> all_settings() { return std::vector<SettingName>(setting_table.begin(), setting_table.end()); }

int run_command_line(const Command& program, std::string_view version, int argc, char** argv) {
  CLI::App app(program.help, program.name);
  try {
    app.set_version_flag("--version", std::string(version));
    const DeclaredCommand declared = declare(app, program, SettingValues());
    app.parse(argc, argv);
    const auto done = run(declared);
    if (done) return static_cast<int>(ExitStatus::success);
    tell(done.error().line);
    return static_cast<int>(done.error().status);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ExtrasError&) {
    return wrong_line(not_expected(app));
  } catch (const CLI::ParseError& error) {
    return wrong_line(error.what());
  } catch (const std::exception& error) {
    tell(error.what());
    return static_cast<int>(ExitStatus::failure);
  }
}

void tell(std::string_view line) { print_line(stderr, std::string("portail: ").append(line)); }

}  // namespace portail
