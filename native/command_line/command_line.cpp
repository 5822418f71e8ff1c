// The only file that uses CLI11's App.
#include "native/command_line/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <unistd.h>

#include "core/base/nearest_name.hpp"
#include "core/settings/settings_check.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/setting_values.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::string_view help_command = "help";

// A command as declared to CLI11, valid while the line is parsed and run.
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

// CLI11's validators return an error message, or an empty text.
std::string check_integer(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && parsed == end ? "" : "must be a whole number, not " + text;
}

std::string check_duration(const std::string& text) {
  if (parse_seconds(text)) return "";
  return "must be seconds, or a number with its unit (" + std::string(time_units) + "), not " + text;
}

// "bash, zsh or fish", if `last` is " or ".
std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += &word == &words.back() ? last : ", ";
    text += word;
  }
  return text;
}

// The same check as CLI::IsMember with a message in the words of the settings.
CLI::Validator choice_of(const std::vector<std::string>& choices) {
  const auto check = [choices](const std::string& text) {
    return std::ranges::contains(choices, text) ? std::string()
                                                : "must be " + listed(choices, " or ") + ", not " + text;
  };
  return {check, CLI::IsMember(choices).get_description()};
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
  const std::string names = declared.also.empty() ? declared.name : declared.name + ',' + declared.also;
  return std::visit(
      [&]<typename Field>(Field* field) {
        if constexpr (std::is_same_v<Field, bool>) {
          return app.add_flag(names, *field, declared.help);
        } else if constexpr (std::is_same_v<Field, std::chrono::seconds>) {
          const auto set = [field](const std::string& text) { *field = parse_seconds(text).value_or(*field); };
          CLI::Option* option = app.add_option_function<std::string>(names, set, declared.help);
          return option->type_name("TIME")->check(CLI::Validator(check_duration, ""));
        } else {
          CLI::Option* option = app.add_option(names, *field, declared.help);
          if constexpr (std::is_same_v<Field, std::string>) option->capture_default_str();
          if constexpr (std::is_same_v<Field, std::vector<std::string>>) option->allow_extra_args(false);
          if constexpr (std::is_same_v<Field, std::optional<std::int64_t>>) {
            option->check(CLI::Validator(check_integer, "NUMBER"));
          }
          return option;
        }
      },
      declared.field);
}

void declare_option(CLI::App& app, const CommandOption& declared, bool reads_variable) {
  CLI::Option* option = add_option(app, declared)->required(declared.is_required);
  if (!declared.variable.empty() && reads_variable) {
    option->envname(declared.variable);
    // A variable holds all values in one text.
    if (std::holds_alternative<std::vector<std::string>*>(declared.field)) option->delimiter(',');
  }
  if (!declared.group.empty()) option->group(declared.group);
  if (!declared.shown_default.empty()) option->default_str(declared.shown_default);
  if (!declared.choices.empty()) option->check(choice_of(declared.choices));
}

bool has_duration(const Command& command) {
  return std::ranges::any_of(command.settings,
                             [](SettingName setting) { return setting->kind == SettingKind::duration; }) ||
         std::ranges::any_of(command.options, [](const CommandOption& option) {
           return std::holds_alternative<std::chrono::seconds*>(option.field);
         });
}

std::string footer(const Command& command) {
  std::string text = has_duration(command) ? duration_note() : std::string();
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

DeclaredCommand declare(CLI::App& app, const Command& command, const SettingValues& defaults,
                        const std::vector<std::string>& arguments) {
  DeclaredCommand declared{.command = command, .app = app};
  // The help has the variables.
  const bool reads_variables = command.variables_need.empty() || std::ranges::any_of(arguments, [&](const auto& each) {
                                 return each.starts_with(command.variables_need) || each == "--help" || each == "-h";
                               });
  for (const SettingName setting : command.settings) {
    declared.settings.emplace_back(&*setting, declare_setting(app, *setting, defaults));
  }
  for (const CommandOption& option : command.options) declare_option(app, option, reads_variables);
  if (!command.run) app.require_subcommand(1);
  app.footer(footer(command));
  for (const Command& inner : command.commands) {
    declared.commands.push_back(declare(*app.add_subcommand(inner.name, inner.help), inner, defaults, arguments));
  }
  return declared;
}

// Copies the values of flags and environment. CLI11 stores both in one list; only the flags are in the parse order.
void read_parsed_settings(const DeclaredCommand& declared, SettingValues& values) {
  for (const auto& [setting, option] : declared.settings) {
    if (option->count() == 0) continue;
    const bool is_flag = std::ranges::contains(declared.app.parse_order(), option);
    std::vector<std::string> texts = option->results();
    if (!setting->is_list) texts.erase(texts.begin(), texts.end() - 1);  // a toggle may be repeated
    values.set(*setting, texts, is_flag ? SettingSource::flag : SettingSource::environment);
  }
}

// By the line or by its variable. An empty text and a flag that is false are as none.
bool is_given(const CLI::Option& option) {
  if (option.count() == 0) return false;
  return option.get_expected_max() == 0 ? option.as<bool>() : !option.results().back().empty();
}

std::expected<void, Fault> check_needs(const DeclaredCommand& declared) {
  for (const CommandOption& option : declared.command.options) {
    if (option.needs.empty() || !is_given(*declared.app.get_option(option.name))) continue;
    if (!is_given(*declared.app.get_option(option.needs))) return wrong_usage(option.name + " needs " + option.needs);
  }
  return {};
}

void add_variables(const Command& command, std::vector<std::string_view>& names) {
  names.insert(names.end(), command.variables.begin(), command.variables.end());
  for (const CommandOption& option : command.options) names.emplace_back(option.variable);
  for (const Command& inner : command.commands) add_variables(inner, names);
}

// Returns the names of the variables that are ignored. A variable of another command is known, too: a shell and the
// units of systemd have those of several. A command that reads none checks none.
std::expected<std::string, Fault> check_variables(const Command& program, const Command& command) {
  const bool reads_variables =
      !command.settings.empty() ||
      std::ranges::any_of(command.options, [](const CommandOption& option) { return !option.variable.empty(); });
  if (!reads_variables) return std::string();
  constexpr auto of_settings = variables_of(setting_table);
  std::vector<std::string_view> names(of_settings.begin(), of_settings.end());
  add_variables(program, names);
  VariableCheck check(names);
  if (const auto checked = check.check_environment(environ); !checked) {
    const std::string& line = checked.error();
    return wrong_usage(line.ends_with('?') ? line : line + "; unset this variable, or see `portail serve --help`");
  }
  return check.ignored();
}

std::expected<void, Fault> run(const Command& program, const DeclaredCommand& declared) {
  for (const DeclaredCommand& inner : declared.commands) {
    if (inner.app.parsed()) return run(program, inner);
  }
  const auto ignored = check_variables(program, declared.command);
  if (!ignored) return std::unexpected(ignored.error());
  if (auto checked = check_needs(declared); !checked) return checked;
  SettingValues values;
  values.set_ignored_variables(*ignored);
  read_parsed_settings(declared, values);
  if (auto read = read_configuration_file(values.text("config"), values); !read) return read;
  if (auto checked = values.check(); !checked) return checked;
  return declared.command.run(values);
}

// The innermost command that the line names.
const DeclaredCommand& selected_command(const DeclaredCommand& declared) {
  for (const DeclaredCommand& inner : declared.commands) {
    if (inner.app.parsed()) return selected_command(inner);
  }
  return declared;
}

std::string full_name(const CLI::App& app) {
  return (app.get_parent() ? full_name(*app.get_parent()) + " " : "") + app.get_name();
}

// The message if the line names no command or an unknown one. It does not repeat the word, which may be a secret that
// lost its flag.
std::string unknown_command_message(const std::vector<std::string>& words, const DeclaredCommand& named) {
  std::vector<std::string> names;
  for (const Command& inner : named.command.commands) names.push_back(inner.name);
  const auto word = std::ranges::find_if(words, [](const std::string& each) { return !each.starts_with('-'); });
  std::string line = word == words.end() ? "name a command:" : "unknown command; the commands are";
  for (const std::string& name : names) line += (&name == &names.front() ? " " : ", ") + name;
  if (word == words.end()) return line;
  if (!named.app.get_parent()) names.emplace_back(help_command);
  const std::string nearest = suggestion_for(*word, names);
  return nearest.empty() ? line : "unknown command" + nearest;
}

struct UnknownFlag {
  std::string name;
  std::string nearest;  // a known flag; empty if there is none
};

// A word with one dash may be a value, so it counts only if it is nearly a known flag.
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

// Repeats names of flags only: a value or an unexpected word may be a secret that lost its flag.
std::string unexpected_words_message(const std::vector<std::string>& words, const CLI::App& named) {
  const std::vector<UnknownFlag> flags = unknown_flags(words, named);
  if (flags.empty())
    return std::to_string(words.size()) + (words.size() == 1 ? " argument was" : " arguments were") + " not expected";
  if (const UnknownFlag& flag = flags.front(); flags.size() == 1) {
    const std::string line = "unknown flag " + flag.name;
    if (flag.nearest == flag.name) return line + ": it must follow the command's name";
    return flag.nearest.empty() ? line : line + "; did you mean " + flag.nearest + "?";
  }
  std::string line = "unknown flags";
  for (const UnknownFlag& flag : flags) {
    line += (&flag == &flags.front() ? " " : ", ") + flag.name;
    if (!flag.nearest.empty()) line += " (did you mean " + flag.nearest + "?)";
  }
  return line;
}

// The message for what is missing from a line without unknown words. nullopt: another parser error.
std::optional<std::string> missing_message(const CLI::ParseError& error, const DeclaredCommand& named) {
  const std::string why = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    std::vector<std::string> missing;
    for (const CommandOption& option : named.command.options) {
      if (option.is_required && named.app.get_option(option.name)->count() == 0) missing.push_back(option.name);
    }
    return listed(missing, " and ") + (missing.size() > 1 ? " are missing" : " is missing");
  }
  if (!dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return std::nullopt;
  const std::string name = why.substr(0, why.find(':'));
  return why.ends_with("missing") ? name + ": its value is missing" : name + ": it must be given once";
}

// Whether standard output is a pipe whose reader has closed it, as head does.
bool is_output_closed() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// Flushes standard output; a failed write fails the command.
std::expected<void, Fault> flush_standard_output() {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return {};
  return failure(std::string(output_fault) + (flushed ? "" : std::string(": ") + std::strerror(errno)));
}

// Prints the error, if there is one and it is not that the reader of a pipe has enough, and returns the exit status.
int report_result(std::expected<void, Fault> done) {
  auto written = flush_standard_output();
  if (done) done = std::move(written);
  if (done) return static_cast<int>(ExitStatus::success);
  if (!done.error().message.starts_with(output_fault) || !is_output_closed()) print_error(done.error().message);
  return static_cast<int>(done.error().status);
}

int report_usage_error(const std::string& why, const DeclaredCommand& declared) {
  print_error(why + (why.ends_with('?') ? " See " : "; see ") + full_name(declared.app) + " --help");
  return static_cast<int>(ExitStatus::wrong_usage);
}

// Reports the words that the parser did not accept, or `why`, the parser's message, if there are none.
int report_rejected_line(const std::vector<std::string>& words, const std::string& why,
                         const DeclaredCommand& program) {
  const DeclaredCommand& named = selected_command(program);
  const bool has_word = std::ranges::any_of(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (!named.command.run && (has_word || words.empty()))
    return report_usage_error(unknown_command_message(words, named), named);
  return report_usage_error(words.empty() ? why : unexpected_words_message(words, named.app), named);
}

// The arguments in CLI11's order, the last one first. `help serve` becomes `serve --help`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == help_command) {
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
  std::vector<std::string> arguments = arguments_of(argc, argv);
  const DeclaredCommand declared = declare(app, program, SettingValues(), arguments);
  app.footer(app.get_footer() + "\n\n" + exit_statuses());
  try {
    app.parse(std::move(arguments));
    return report_result(run(program, declared));
  } catch (const CLI::Success& success) {  // --help, --version
    if (const auto words = app.remaining(true); !words.empty()) return report_rejected_line(words, "", declared);
    app.exit(success);
    return report_result({});
  } catch (const CLI::ParseError& error) {
    const DeclaredCommand& selected = selected_command(declared);
    const auto missing = missing_message(error, selected);
    if (missing) {
      if (const auto known = check_variables(program, selected.command); !known)
        return report_result(std::unexpected(known.error()));
    }
    return report_rejected_line(app.remaining(true), missing.value_or(error.what()), declared);
  } catch (const std::exception& error) {
    print_error(describe_error(error));
    return static_cast<int>(ExitStatus::failure);
  }
}

void print_error(std::string_view line) { print_line(stderr, std::string("portail: ").append(line)); }

}  // namespace portail
