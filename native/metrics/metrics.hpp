// The metrics of the running server in Prometheus' text format. Any thread.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/metrics/metric_sources.hpp"

namespace portail {

// Reads from the store, for at most 2 seconds. Both arguments must outlive the Task.
Task<std::string> render_metrics(Context& context, const MetricSources& sources);

}  // namespace portail
