// The metrics of the process by Prometheus' standard names: processor time, memory, open files. Any thread.
#pragma once

#include <vector>

#include "core/base/time.hpp"

namespace prometheus {
struct MetricFamily;
}

namespace portail {

// Omits metrics that the system does not report. `started`: the start of this process.
std::vector<prometheus::MetricFamily> process_metrics(Instant started);

}  // namespace portail
