#include "native/command_line/manual.hpp"

#include "native/command_line/command_tree.hpp"
#include "native/settings/durations.hpp"
#include "native/settings/fault.hpp"

namespace portail {
namespace {

// Escapes a text for roff: hyphens and backslashes, and a leading control character.
std::string roff(std::string_view text) {
  std::string written;
  if (text.starts_with('.') || text.starts_with('\'')) written = "\\&";
  for (const char each : text) {
    if (each == '-' || each == '\\') written += '\\';
    written += each == '\\' ? 'e' : each;
  }
  return written;
}

void append_flag(std::string& page, const CommandFlag& flag) {
  page += ".TP\n\\fB" + roff(flag.name) + "\\fR";
  if (flag.is_flag() && flag.takes_value) page += " \\fIvalue\\fR";
  page += '\n' + roff(flag.help) + ".\n";
  if (!flag.choices.empty()) {
    page += "One of";
    for (const std::string& choice : flag.choices)
      page += (&choice == &flag.choices.front() ? " " : ", ") + roff(choice);
    page += ".\n";
  }
  if (!flag.default_value.empty()) page += "Default: " + roff(flag.default_value) + ".\n";
  if (!flag.variable.empty()) page += "Environment: " + roff(flag.variable) + ".\n";
}

}  // namespace

std::string manual_page(const Command& program, std::string_view version) {
  std::string page = ".TH PORTAIL 1 \"\" \"" + roff(version) + "\"\n.SH NAME\n" + roff(program.name) + " \\- " +
                     roff(program.help) + "\n.SH SYNOPSIS\n.B portail\n.I command\n[\\fIoption\\fR]...\n";
  page += ".SH COMMANDS\n" + roff(duration_note()) + ".\n";
  for (const NamedCommand& each : all_commands(program)) {
    if (!each.command->run) continue;
    page += ".SS portail " + roff(each.name) + '\n' + roff(each.command->help) + ".\n";
    for (const CommandFlag& flag : flags_of(*each.command)) append_flag(page, flag);
  }
  page += ".SH EXIT STATUS\n";
  for (const ExitMeaning& each : exit_meanings) {
    page += ".TP\n" + std::to_string(static_cast<int>(each.status)) + '\n' + roff(each.meaning) + ".\n";
  }
  page += ".SH EXAMPLES\n.nf\n";
  for (const NamedCommand& each : all_commands(program)) {
    for (const std::string& example : each.command->examples) page += roff(example) + '\n';
  }
  return page + ".fi\n";
}

}  // namespace portail
