#include "native/command_line/manual.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/text.hpp"
#include "native/command_line/command_tree.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

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

constexpr std::size_t text_width = 80;
constexpr std::size_t text_indent = 4;
constexpr std::size_t flag_indent = 8;

// The text of a line of roff, without its escapes.
std::string without_escapes(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      text += line[i];
    } else if (const char escape = line[++i]; escape == 'f') {
      ++i;  // the font's letter
    } else if (escape != '&') {
      text += escape == 'e' ? '\\' : escape;
    }
  }
  return text;
}

// Appends the words to the last line of `page`, which is continued at the indent beyond the width.
void append_wrapped(std::string& page, std::size_t indent, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = take_until(rest, ' ');
    const std::size_t column = page.size() - (page.rfind('\n') + 1);
    if (column > indent && column + 1 + word.size() > text_width) page += '\n';
    page += page.ends_with('\n') ? std::string(indent, ' ') : " ";
    page += word;
  }
}

}  // namespace

std::string manual_text(std::string_view page) {
  std::string text;
  std::size_t indent = text_indent;
  bool is_verbatim = false;
  bool is_tag = false;
  const auto end_paragraph = [&text] {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
  };
  while (!page.empty()) {
    const std::string_view line = take_until(page, '\n');
    const std::string_view macro = line.substr(0, line.find(' '));
    const std::string words = without_escapes(line.substr(std::min(macro.size() + 1, line.size())));
    if (macro == ".SH" || macro == ".SS") {
      end_paragraph();
      text.append(text.empty() ? "" : "\n").append(macro == ".SS" ? "  " : "").append(words).append("\n");
      indent = text_indent;
    } else if (macro == ".TP") {
      end_paragraph();
      indent = text_indent;
      is_tag = true;
    } else if (macro == ".nf" || macro == ".fi") {
      end_paragraph();
      is_verbatim = macro == ".nf";
    } else if (macro == ".B" || macro == ".I") {
      append_wrapped(text, indent, words);
    } else if (macro != ".TH") {
      append_wrapped(text, indent, without_escapes(line));
      if (is_tag || is_verbatim) end_paragraph();
      if (is_tag) indent = flag_indent;
      is_tag = false;
    }
  }
  end_paragraph();
  return text;
}

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
