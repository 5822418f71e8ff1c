#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include "native/command_line/completions.hpp"
#include "native/command_line/manual.hpp"
#include "native/commands/command.hpp"
#include "native/commands/version.hpp"

namespace portail {
namespace {

std::expected<void, Fault> print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

}  // namespace

Command completions_command(const Command& program) {
  auto shell = std::make_shared<std::string>();
  return {
      .name = "completions",
      .help = "Print a shell completion script",
      .options = {{.name = "SHELL",
                   .help = "bash, zsh or fish",
                   .field = shell.get(),
                   .choices = {"bash", "zsh", "fish"},
                   .is_required = true}},
      .examples = {"source <(portail completions bash)", "portail completions fish | source"},
      .run = [shell, &program](const SettingValues&) {
        const auto script = *shell == "fish" ? fish_completions : *shell == "zsh" ? zsh_completions : bash_completions;
        return print_text(script(program));
      }};
}

Command manual_command(const Command& program) {
  return {.name = "manual",
          .help = "Print the manual page: on a terminal as text, else for man",
          .examples = {"portail manual | man -l -"},
          .run = [&program](const SettingValues&) {
            const std::string page = manual_page(program, program_version());
            return print_text(isatty(STDOUT_FILENO) == 1 ? manual_text(page) : page);
          }};
}

}  // namespace portail
