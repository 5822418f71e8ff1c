// The health of the running server, part by part, for its operator. Clients get only the names of the parts
// (core/api/endpoints.hpp). Any thread.
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
  degraded,   // it serves, but an operator should check it
  unhealthy,  // it cannot serve
};

struct HealthPart {
  std::string_view name;
  Health health;
  std::string detail;
};

// Checks each part. Reads from the store, for at most 2 seconds. Both arguments must outlive the Task.
Task<std::vector<HealthPart>> check_health(Context& context, const MetricSources& sources);

// The worst health of the parts.
Health overall_health(const std::vector<HealthPart>& parts);

// {"status":"Degraded","parts":{"store":{"status":"Healthy","detail":"…"},…}}
std::string health_json(const std::vector<HealthPart>& parts);

}  // namespace portail
