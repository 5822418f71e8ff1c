// What GET /metrics of a running server said: its text, read back. A value; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct ReadSample {
  std::string name;
  MetricLabels labels;
  double value = 0;

  // Empty where there is no such label.
  [[nodiscard]] std::string_view label(std::string_view wanted) const;
};

class MetricsReading {
 public:
  // Of nothing at all: every sum is 0.
  MetricsReading() = default;
  // Prometheus' text format; lines that are none of it are left out.
  explicit MetricsReading(std::string_view text);

  [[nodiscard]] const std::vector<ReadSample>& samples() const { return samples_; }
  // Of the first of that name.
  [[nodiscard]] std::optional<double> value(std::string_view name) const;
  // Of all of that name that have all these labels.
  [[nodiscard]] double sum(std::string_view name, const MetricLabels& labels = {}) const;

 private:
  std::vector<ReadSample> samples_;
};

}  // namespace portail
