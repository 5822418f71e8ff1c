// The state of a running server as text lines. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/status/server_stats.hpp"

namespace portail {

// Pairs of a subject and its text, without the health. `address` is the server's.
std::vector<std::pair<std::string, std::string>> status_lines(const ServerStats& stats, std::string_view address);

}  // namespace portail
