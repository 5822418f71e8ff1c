// How the running server is, part by part and in words: for its operator, and never for its clients, who learn the
// names of the parts alone (core/api/health.hpp). Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/metrics/metric_sources.hpp"

namespace portail {

enum class Health : std::uint8_t {
  healthy,
  degraded,   // it serves, and an operator should check it
  unhealthy,  // it cannot serve
};

struct HealthPart {
  std::string_view name;
  Health health;
  std::string detail;
};

// Reads from the store, for at most 2 seconds. Both outlive the Task.
Task<std::vector<HealthPart>> health_of(Context& context, const MetricSources& sources);

// The worst of them.
Health health_in_all(const std::vector<HealthPart>& parts);

// {"status":"Degraded","parts":{"store":{"status":"Healthy","detail":"…"},…}}
std::string health_text(const std::vector<HealthPart>& parts);

}  // namespace portail
