// Formats audit records for the terminal. Any thread.
#pragma once

#include <string>

#include "core/json/reader.hpp"

namespace portail {

// Returns one line without its line break: time, action, user, changes and correlation id. Texts from outside are JSON
// strings; print the line with print_line (native/system/terminal.hpp).
std::string format_audit_record(JsonObject record);

}  // namespace portail
