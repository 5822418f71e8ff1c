// What a person wants to know of a running server, from what its metrics and its health said. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/status/metrics_reading.hpp"

namespace portail {

// As /health of the metrics' address has it: Healthy, Degraded or Unhealthy.
struct ReadPart {
  std::string name;
  std::string status;
  std::string detail;
};

struct ReadHealth {
  std::string status;
  std::vector<ReadPart> parts;
};

// Nothing where the text is none of it.
std::optional<ReadHealth> read_health(std::string_view text);

struct RouteFigures {
  std::string name;  // "GET /api/app/liasse"
  double requests = 0;
  std::optional<double> late;  // as below
};

// Rates are per second.
struct StatusFigures {
  std::string version;
  double runs_for = 0;  // seconds
  double requests = 0;
  double refused = 0;  // 4xx
  double failed = 0;   // 5xx
  double shed = 0;
  double limited = 0;
  std::optional<double>
      usual;                   // seconds within which half of the requests were answered; nothing where there were none
  std::optional<double> late;  // 99 of 100
  double connections = 0;
  double most_connections = 0;
  double processors = 0;  // in use
  double memory = 0;      // bytes
  double files = 0;
  double most_files = 0;
  std::vector<RouteFigures> routes;  // the busiest first, without those that had no requests
};

// Of the time between the two readings, `seconds` of it; `now` in seconds since 1970. Where nothing was read before,
// since the server began.
StatusFigures figures_of(const MetricsReading& before, const MetricsReading& after, double seconds, double now);

}  // namespace portail
