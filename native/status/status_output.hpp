// The state of a running server as text lines, and as JSON. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/status/server_stats.hpp"

namespace portail {

// Pairs of a subject and its text, without the health. `address` is the server's.
std::vector<std::pair<std::string, std::string>> status_lines(const ServerStats& stats, std::string_view address);

// Returns one JSON object, without a line break. Its members: docs/how-to/monitor.md, "In a terminal". Seconds, bytes
// and rates per second are numbers; unknown values are null.
std::string status_json(const HealthReport& health, const ServerStats& stats);

}  // namespace portail
