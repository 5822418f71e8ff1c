// What every program's metrics have: its processor time, memory and open files, by the names that Prometheus' own
// clients give them. Any thread.
#pragma once

#include <vector>

#include "core/base/time.hpp"

namespace prometheus {
struct MetricFamily;
}

namespace portail {

// A figure that the system does not tell is left out. `started`: when this process began.
std::vector<prometheus::MetricFamily> process_figures(Instant started);

}  // namespace portail
