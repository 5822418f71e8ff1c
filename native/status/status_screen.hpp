// The state of a running server as a terminal screen or as text lines. The only header whose source uses FTXUI.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "native/status/server_stats.hpp"

namespace portail {

struct StatusScreen {
  std::string address;
  HealthReport health;
  ServerStats stats;
  std::deque<double> requests;  // requests per second in the past, the latest last
  bool colours = true;
};

// Renders the screen in the terminal's width, with control sequences. It has at least one row less than the terminal,
// so that nothing scrolls. If rows are few, the graph and the routes are omitted first, then the process, the requests,
// and the last parts of the health.
std::string render_screen(const StatusScreen& screen);

// Pairs of a subject and its text, without the health.
std::vector<std::pair<std::string, std::string>> status_lines(const StatusScreen& screen);

}  // namespace portail
