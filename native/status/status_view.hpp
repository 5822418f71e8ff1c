// The state of a running server for a person: a picture for a terminal, or plain lines. The one place that knows FTXUI.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "native/status/status_figures.hpp"

namespace portail {

struct StatusPicture {
  std::string address;
  ReadHealth health;
  StatusFigures figures;
  std::deque<double> requests;  // a second, the last of them now: as many as there are
  bool colours = true;
};

// As wide as the terminal; lines with the terminal's commands in them. At most one row fewer than the terminal has, so
// that nothing scrolls: where rows are few, the graph and the routes get none, then the process, the requests, and the
// last parts of the health.
std::string drawn(const StatusPicture& picture);

// What each is about, and what there is to say; without the health.
std::vector<std::pair<std::string, std::string>> in_lines(const StatusPicture& picture);

}  // namespace portail
