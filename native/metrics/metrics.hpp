// What a monitoring system may know of the running server, in Prometheus' text format. Any thread.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/metrics/metric_sources.hpp"

namespace portail {

// Reads from the store, for at most 2 seconds. Both outlive the Task.
Task<std::string> metrics_text(Context& context, const MetricSources& sources);

}  // namespace portail
