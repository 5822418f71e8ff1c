// The parsed answer to GET /metrics of a running server. A value; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

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

}  // namespace portail
