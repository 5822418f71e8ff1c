#include <cstdio>
#include <memory>
#include <string>

#include "native/command_line/completions.hpp"
#include "native/command_line/manual.hpp"
#include "native/commands/command.hpp"
#include "native/commands/version.hpp"

namespace portail {
namespace {

std::expected<void, Fault> write_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

}  // namespace

Command completions_command(const Command& program) {
  auto shell = std::make_shared<std::string>();
  return {
      .name = "completions",
      .help = "Print a script by which a shell completes this program's words",
      .options = {{.name = "shell",
                   .help = "bash, zsh or fish",
                   .field = shell.get(),
                   .choices = {"bash", "zsh", "fish"},
                   .is_required = true}},
      .examples = {"source <(portail completions bash)", "portail completions fish | source"},
      .run = [shell, &program](const SettingValues&) {
        const auto script = *shell == "fish" ? fish_completions : *shell == "zsh" ? zsh_completions : bash_completions;
        return write_out(script(program));
      }};
}

Command manual_command(const Command& program) {
  return {.name = "manual",
          .help = "Print this program's page of the manual, for man",
          .examples = {"portail manual | man -l -"},
          .run = [&program](const SettingValues&) { return write_out(manual_page(program, program_version())); }};
}

}  // namespace portail
