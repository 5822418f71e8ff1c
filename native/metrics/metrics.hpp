// What a monitoring system may know of the running server, in Prometheus' text format. Any thread.
#pragma once

#include <string>

#include "native/metrics/metric_sources.hpp"

namespace portail {

std::string metrics_text(const MetricSources& sources);

}  // namespace portail
