// The state of a running server for a program: one JSON object, without a line's end. A pure function.
#pragma once

#include <string>

#include "native/status/status_figures.hpp"

namespace portail {

// Its members: docs/how-to/monitor.md, "In a terminal". Seconds, bytes and rates a second are numbers; what is not
// known is null.
std::string status_json(const ReadHealth& health, const StatusFigures& figures);

}  // namespace portail
