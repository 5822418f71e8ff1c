// The state of a running server, from its answer to GET /metrics.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

// The parsed answer to GET /metrics of a running server. A value; any thread.

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct MetricSample {
  std::string name;
  MetricLabels labels;
  double value = 0;

  // The value of a label; empty if it is absent.
  [[nodiscard]] std::string_view label(std::string_view label_name) const;
};

class MetricsSnapshot {
 public:
  // Without samples: every sum is 0.
  MetricsSnapshot() = default;
  // Parses Prometheus' text format; invalid lines are ignored.
  explicit MetricsSnapshot(std::string_view text);

  [[nodiscard]] const std::vector<MetricSample>& samples() const { return samples_; }
  // The value of the first sample of that name.
  [[nodiscard]] std::optional<double> value(std::string_view name) const;
  // The sum of all samples of that name with all these labels.
  [[nodiscard]] double sum(std::string_view name, const MetricLabels& labels = {}) const;

 private:
  std::vector<MetricSample> samples_;
};

// Statistics of a running server, computed from its metrics, and its parsed health. Pure functions.

// A part of /health: its status is Healthy, Degraded or Unhealthy.
struct HealthReportPart {
  std::string name;
  std::string status;
  std::string detail;
};

struct HealthReport {
  std::string status;
  std::vector<HealthReportPart> parts;
};

// Parses the answer to GET /health; nullopt if it is malformed.
std::optional<HealthReport> parse_health_report(std::string_view text);

struct RouteStats {
  std::string name;  // "GET /api/app/liasse"
  double requests = 0;
  std::optional<double> p99;  // see ServerStats
};

// Rates are per second.
struct ServerStats {
  std::string version;
  double uptime = 0;  // seconds
  double requests = 0;
  double refused = 0;  // 4xx
  double failed = 0;   // 5xx
  double shed = 0;
  double limited = 0;
  std::optional<double> p50;  // seconds within which half of the requests were answered; nullopt if there were none
  std::optional<double> p99;  // the same for 99 of 100
  double connections = 0;
  double max_connections = 0;
  double processors = 0;  // in use
  double memory = 0;      // bytes
  double open_files = 0;
  double max_open_files = 0;
  std::vector<RouteStats> routes;  // in descending order of requests, without idle routes
};

// Computes the statistics of the time between two snapshots, `seconds` long; `now` is in seconds since 1970. If
// `before` is empty, of the time since the start of the server.
ServerStats compute_stats(const MetricsSnapshot& before, const MetricsSnapshot& after, double seconds, double now);

}  // namespace portail
