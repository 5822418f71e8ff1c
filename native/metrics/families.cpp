#include "native/metrics/families.hpp"

#include <string>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

namespace portail {
namespace {

using prometheus::MetricType;

prometheus::MetricFamily family(MetricType type, const char* name, const char* help,
                                const std::vector<Sample>& samples) {
  prometheus::MetricFamily made{.name = name, .help = help, .type = type, .metric = {}};
  for (const Sample& sample : samples) {
    prometheus::ClientMetric& metric = made.metric.emplace_back();
    for (const auto& [label, value] : sample.labels) {
      metric.label.push_back({.name = std::string(label), .value = std::string(value)});
    }
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = sample.value;
  }
  return made;
}

}  // namespace

prometheus::MetricFamily counter(const char* name, const char* help, double value) {
  return counters(name, help, {{.labels = {}, .value = value}});
}

prometheus::MetricFamily gauge(const char* name, const char* help, double value) {
  return gauges(name, help, {{.labels = {}, .value = value}});
}

prometheus::MetricFamily counters(const char* name, const char* help, const std::vector<Sample>& samples) {
  return family(MetricType::Counter, name, help, samples);
}

prometheus::MetricFamily gauges(const char* name, const char* help, const std::vector<Sample>& samples) {
  return family(MetricType::Gauge, name, help, samples);
}

}  // namespace portail
