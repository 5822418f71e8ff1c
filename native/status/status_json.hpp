// The state of a running server as one JSON object, without a line break. A pure function.
#pragma once

#include <string>

#include "native/status/server_stats.hpp"

namespace portail {

// Its members: docs/how-to/monitor.md, "In a terminal". Seconds, bytes and rates per second are numbers; unknown values
// are null.
std::string status_json(const HealthReport& health, const ServerStats& stats);

}  // namespace portail
