// Completion scripts for shells. Pure functions; any thread.
#pragma once

#include <string>

#include "native/command_line/command_line.hpp"

namespace portail {

std::string bash_completions(const Command& program);
// bash's script, loaded by zsh's bashcompinit.
std::string zsh_completions(const Command& program);
std::string fish_completions(const Command& program);

}  // namespace portail
