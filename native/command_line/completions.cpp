#include "native/command_line/completions.hpp"

#include <vector>

#include "native/command_line/command_tree.hpp"

namespace portail {
namespace {

// What may follow the program itself besides its commands.
constexpr std::string_view words_of_program = "help --help --version";

void append_word(std::string& words, std::string_view word) {
  if (!words.empty() && !word.empty()) words += ' ';
  words += word;
}

std::string choices_of(const CommandFlag& flag) {
  std::string words;
  for (const std::string& choice : flag.choices) append_word(words, choice);
  return words;
}

// The words that may follow a command, without arguments.
std::string words_of(const NamedCommand& at) {
  std::string words;
  for (const Command& inner : at.command->commands) append_word(words, inner.name);
  for (const CommandFlag& flag : flags_of(*at.command)) {
    append_word(words, flag.is_flag() ? flag.name : choices_of(flag));
  }
  append_word(words, at.name.empty() ? words_of_program : "--help");
  return words;
}

// A pattern of the shell's `case` that matches the names.
std::string pattern(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : " | '") + name + '\'';
  return text;
}

// The steps of the parser, "keys/make" for "keys make": the command so far, and the next word.
std::vector<std::string> steps_to(const std::vector<NamedCommand>& commands) {
  std::vector<std::string> steps;
  for (const NamedCommand& each : commands) {
    if (each.name.empty()) continue;
    const std::size_t last = each.name.rfind(' ');
    steps.push_back(last == std::string::npos ? '/' + each.name
                                              : each.name.substr(0, last) + '/' + each.name.substr(last + 1));
  }
  return steps;
}

// The text in single quotes, escaped for fish.
std::string fish_text(std::string_view text) {
  std::string quoted = "'";
  for (const char each : text) {
    if (each == '\'' || each == '\\') quoted += '\\';
    quoted += each;
  }
  return quoted + '\'';
}

}  // namespace

std::string bash_completions(const Command& program) {
  const std::vector<NamedCommand> commands = all_commands(program);
  std::string values;
  std::string words;
  for (const NamedCommand& each : commands) {
    std::vector<std::string> of_files;
    for (const CommandFlag& flag : flags_of(*each.command)) {
      if (!flag.is_flag() || !flag.takes_value) continue;
      if (flag.choices.empty()) {
        of_files.push_back(each.name + ' ' + flag.name);
      } else {
        values += "    '" + each.name + ' ' + flag.name + "') words='" + choices_of(flag) + "' ;;\n";
      }
    }
    if (!of_files.empty()) values += "    " + pattern(of_files) + ") return ;;\n";
    words += "      '" + each.name + "') words='" + words_of(each) + "' ;;\n";
  }
  return "# Shell completion for portail; falls back to file names.\n"
         "_portail() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= words= each\n"
         "  COMPREPLY=()\n"
         "  for each in \"${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}\"; do\n"
         "    case \"$command/$each\" in\n"
         "      " +
         pattern(steps_to(commands)) +
         ") command=\"${command:+$command }$each\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $before\" in\n" +
         values + "    *) case \"$command\" in\n" + words +
         "    esac ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _portail portail\n";
}

std::string zsh_completions(const Command& program) {
  return "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_completions(program);
}

std::string fish_completions(const Command& program) {
  const std::vector<NamedCommand> commands = all_commands(program);
  std::string steps;
  for (const std::string& step : steps_to(commands)) steps += ' ' + fish_text(step);
  std::string text =
      "# Shell completion for portail; falls back to file names.\n"
      "function __portail_at\n"
      "  set -l command\n"
      "  for each in (commandline -opc)[2..]\n"
      "    if contains -- \"$command/$each\"" +
      steps +
      "\n"
      "      set command (string trim \"$command $each\")\n"
      "    end\n"
      "  end\n"
      "  test \"$command\" = \"$argv\"\n"
      "end\n";
  for (const NamedCommand& each : commands) {
    const std::string here = "complete -c portail -n " + fish_text("__portail_at " + each.name);
    for (const Command& inner : each.command->commands) {
      text += here + " -f -a " + inner.name + " -d " + fish_text(inner.help) + '\n';
    }
    for (const CommandFlag& flag : flags_of(*each.command)) {
      if (!flag.is_flag()) {
        if (!flag.choices.empty()) text += here + " -f -a " + fish_text(choices_of(flag)) + '\n';
        continue;
      }
      text += here + " -l " + flag.name.substr(2);
      if (!flag.choices.empty()) {
        text += " -x -a " + fish_text(choices_of(flag));
      } else if (flag.takes_value) {
        text += " -r";
      }
      text += " -d " + fish_text(flag.help) + '\n';
    }
    text += here + " -l help -d 'Print the help'\n";
  }
  return text;
}

}  // namespace portail
