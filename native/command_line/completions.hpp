// Scripts by which a shell completes the program's commands, flags and choices. Pure functions; any thread.
#pragma once

#include <string>

#include "native/command_line/command_line.hpp"

namespace portail {

std::string bash_completions(const Command& program);
// bash's, by way of zsh's own bashcompinit.
std::string zsh_completions(const Command& program);
std::string fish_completions(const Command& program);

}  // namespace portail
