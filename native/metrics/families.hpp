// Creates families of Prometheus metrics from given numbers. Pure functions.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace portail {

struct Sample {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  double value = 0;
};

prometheus::MetricFamily counter(const char* name, const char* help, double value);
prometheus::MetricFamily gauge(const char* name, const char* help, double value);
prometheus::MetricFamily counters(const char* name, const char* help, const std::vector<Sample>& samples);
prometheus::MetricFamily gauges(const char* name, const char* help, const std::vector<Sample>& samples);

}  // namespace portail
