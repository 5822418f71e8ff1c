// The one place that knows CLI11's App.
#include "native/command_line/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include <CLI/CLI.hpp>

#include "native/host/terminal.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/durations.hpp"
#include "native/settings/nearest_name.hpp"

namespace portail {
namespace {

constexpr std::string_view help_word = "help";

// A command as CLI11 has it, for as long as the line is parsed and run.
struct DeclaredCommand {
  const Command& command;
  CLI::App& app;
  std::vector<std::pair<const Setting*, CLI::Option*>> settings = {};
  std::vector<DeclaredCommand> commands = {};
};

std::string_view type_name(SettingKind kind) {
  if (kind == SettingKind::number) return "NUMBER";
  if (kind == SettingKind::duration) return "TIME";
  return "TEXT";
}

// What an argument of a command must be where its field is a number.
std::string whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && parsed == end ? "" : "must be a whole number, not " + text;
}

std::string time_in_seconds(const std::string& text) {
  if (read_seconds(text)) return "";
  return "must be seconds, or a number with its unit (" + std::string(time_units) + "), not " + text;
}

CLI::Option* declare_setting(CLI::App& app, const Setting& setting, const SettingValues& defaults) {
  const std::string flag = "--" + std::string(setting.name);
  CLI::Option* option = setting.kind == SettingKind::toggle ? app.add_flag(flag) : app.add_option(flag);
  option->description(std::string(setting.help))->envname(std::string(setting.variable));
  option->group(setting.is_hidden ? "" : setting.group.empty() ? "Options" : std::string(setting.group));
  if (setting.kind != SettingKind::toggle) {
    option->default_str(defaults.text(setting));
    option->type_name(std::string(type_name(setting.kind)));
  }
  if (setting.is_list) option->expected(CLI::detail::expected_max_vector_size)->allow_extra_args(false);
  return option;
}

CLI::Option* add_option(CLI::App& app, const CommandOption& declared) {
  return std::visit(
      [&app, &declared]<typename Field>(Field* field) {
        if constexpr (std::is_same_v<Field, bool>) {
          return app.add_flag(declared.name, *field, declared.help);
        } else if constexpr (std::is_same_v<Field, std::chrono::seconds>) {
          const auto take = [field](const std::string& text) { *field = read_seconds(text).value_or(*field); };
          CLI::Option* option = app.add_option_function<std::string>(declared.name, take, declared.help);
          return option->type_name("TIME")->check(CLI::Validator(time_in_seconds, ""));
        } else {
          CLI::Option* option = app.add_option(declared.name, *field, declared.help);
          if constexpr (std::is_same_v<Field, std::string>) option->capture_default_str();
          if constexpr (std::is_same_v<Field, std::vector<std::string>>) option->allow_extra_args(false);
          if constexpr (std::is_same_v<Field, std::optional<std::int64_t>>) {
            option->check(CLI::Validator(whole_number, "NUMBER"));
          }
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

bool takes_a_time(const Command& command) {
  return std::ranges::any_of(command.settings,
                             [](SettingName setting) { return setting->kind == SettingKind::duration; }) ||
         std::ranges::any_of(command.options, [](const CommandOption& option) {
           return std::holds_alternative<std::chrono::seconds*>(option.field);
         });
}

std::string footer(const Command& command) {
  std::string text = takes_a_time(command) ? note_on_times() : std::string();
  if (command.examples.empty()) return text;
  text += text.empty() ? "Examples:" : "\n\nExamples:";
  for (const std::string& example : command.examples) text += "\n  " + example;
  return text;
}

// "Exit status: 0 done, 1 failed, …"
std::string exit_statuses() {
  std::string text = "Exit status:";
  for (const ExitMeaning& each : exit_meanings) {
    text += (&each == exit_meanings.data() ? " " : ", ") + std::to_string(static_cast<int>(each.status)) + ' ';
    text += each.meaning;
  }
  return text;
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
  app.footer(footer(command));
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

// The innermost command that the line names.
const DeclaredCommand& named_by_line(const DeclaredCommand& declared) {
  for (const DeclaredCommand& inner : declared.commands) {
    if (inner.app.parsed()) return named_by_line(inner);
  }
  return declared;
}

std::string full_name(const CLI::App& app) {
  return (app.get_parent() ? full_name(*app.get_parent()) + " " : "") + app.get_name();
}

// Where a command was to be named, and none was. The word is not repeated: it may be a secret that lost its flag.
std::string no_such_command(const std::vector<std::string>& words, const DeclaredCommand& named) {
  std::vector<std::string> names;
  for (const Command& inner : named.command.commands) names.push_back(inner.name);
  const auto word = std::ranges::find_if(words, [](const std::string& each) { return !each.starts_with('-'); });
  std::string line = word == words.end() ? "name a command:" : "there is no such command, but";
  for (const std::string& name : names) line += (&name == &names.front() ? " " : ", ") + name;
  if (word == words.end()) return line;
  if (!named.app.get_parent()) names.emplace_back(help_word);
  const std::string nearest = nearest_of(*word, names);
  return nearest.empty() ? line : "there is no such command" + nearest;
}

struct UnknownFlag {
  std::string name;
  std::string nearest;  // of those that are known here; empty: none
};

// With one dash it is a flag only where it is nearly one: it may be a value.
std::vector<UnknownFlag> unknown_flags(const std::vector<std::string>& words, const CLI::App& named) {
  std::vector<std::string> known;
  for (const CLI::Option* option : named.get_options()) {
    if (!option->get_group().empty()) known.push_back(option->get_name());
  }
  std::vector<UnknownFlag> flags;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--")) {
      flags.push_back({name, nearest_name(name, known)});
    } else if (name.starts_with('-')) {
      if (std::string nearest = nearest_name('-' + name, known); !nearest.empty()) flags.push_back({name, nearest});
    }
  }
  return flags;
}

// Only names: a value, and a word that nothing asked for, may be a secret that lost its flag.
std::string not_expected(const std::vector<std::string>& words, const CLI::App& named) {
  const std::vector<UnknownFlag> flags = unknown_flags(words, named);
  if (flags.empty())
    return std::to_string(words.size()) + (words.size() == 1 ? " argument was" : " arguments were") + " not expected";
  if (const UnknownFlag& flag = flags.front(); flags.size() == 1) {
    const std::string line = "unknown flag " + flag.name;
    if (flag.nearest == flag.name) return line + ": it goes after the command's name";
    return flag.nearest.empty() ? line : line + "; did you mean " + flag.nearest + "?";
  }
  std::string line = "unknown flags";
  for (const UnknownFlag& flag : flags) {
    line += (&flag == &flags.front() ? " " : ", ") + flag.name;
    if (!flag.nearest.empty()) line += " (did you mean " + flag.nearest + "?)";
  }
  return line;
}

// What was printed is written by now, or the command has failed, whatever else it did.
std::expected<void, Fault> finish_standard_output() {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return {};
  return failure(std::string("cannot write to standard output") +
                 (flushed ? "" : std::string(": ") + std::strerror(errno)));
}

// Says why it was not done, and gives the exit status.
int end(std::expected<void, Fault> done) {
  auto written = finish_standard_output();
  if (done) done = std::move(written);
  if (done) return static_cast<int>(ExitStatus::success);
  tell(done.error().line);
  return static_cast<int>(done.error().status);
}

int wrong_line(const std::string& why, const DeclaredCommand& declared) {
  tell(why + (why.ends_with('?') ? " See " : "; see ") + full_name(declared.app) + " --help");
  return static_cast<int>(ExitStatus::wrong_usage);
}

// The words that the parser had no use for; where there are none, `why` is what it says.
int refuse_line(const std::vector<std::string>& words, const std::string& why, const DeclaredCommand& program) {
  const DeclaredCommand& named = named_by_line(program);
  const bool has_word = std::ranges::any_of(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (!named.command.run && (has_word || words.empty())) return wrong_line(no_such_command(words, named), named);
  return wrong_line(words.empty() ? why : not_expected(words, named.app), named);
}

// `help serve` is what `serve --help` is. In the order that CLI11 takes them: the last first.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == help_word) {
    std::ranges::rotate(arguments, arguments.begin() + 1);
    arguments.back() = "--help";
  }
  std::ranges::reverse(arguments);
  return arguments;
}

}  // namespace

std::vector<SettingName> all_settings() { return std::vector<SettingName>(setting_table.begin(), setting_table.end()); }

int run_command_line(const Command& program, std::string_view version, int argc, char** argv) {
  CLI::App app(program.help, program.name);
  app.set_version_flag("--version", std::string(version));
  const DeclaredCommand declared = declare(app, program, SettingValues());
  app.footer(app.get_footer() + "\n\n" + exit_statuses());
  try {
    app.parse(arguments_of(argc, argv));
    return end(run(declared));
  } catch (const CLI::Success& asked) {  // --help, --version
    if (const auto words = app.remaining(true); !words.empty()) return refuse_line(words, "", declared);
    app.exit(asked);
    return end({});
  } catch (const CLI::ParseError& error) {
    return refuse_line(app.remaining(true), error.what(), declared);
  } catch (const std::exception& error) {
    tell(error.what());
    return static_cast<int>(ExitStatus::failure);
  }
}

void tell(std::string_view line) { print_line(stderr, std::string("portail: ").append(line)); }

}  // namespace portail
