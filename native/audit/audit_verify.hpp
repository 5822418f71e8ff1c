// The commands `portail audit verify` and `portail audit checkpoint`.
#pragma once

#include "native/commands/command.hpp"

namespace portail {

Command audit_verify_command();
Command audit_checkpoint_command();

}  // namespace portail
