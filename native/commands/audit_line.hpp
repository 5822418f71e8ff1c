// A record of the audit as a person reads it. Any thread.
#pragma once

#include <string>

#include "core/json/reader.hpp"

namespace portail {

// One line without its end: when, what, who, what from what to what, and the correlation id. Text that came from
// outside stands in JSON strings; a terminal gets the line by print_line (native/host/terminal.hpp).
std::string audit_line_of(JsonObject record);

}  // namespace portail
