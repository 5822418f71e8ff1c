// What a monitoring system may know of the running server, in Prometheus' text format. Any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "native/host/shared_token_cache.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/metrics/request_metrics.hpp"
#include "native/server/connection_counts.hpp"
#include "native/server/load_shedding.hpp"
#include "native/server/request_rates.hpp"

namespace portail {

// What the program was built of; constants.
struct BuildInfo {
  std::string_view version;
  std::string_view compiler;
  std::string_view system;
};

// Where the numbers are. All of it outlives who asks.
struct MetricSources {
  BuildInfo build;
  Instant started;
  std::function<KeyStatus()> keys;
  std::function<std::optional<Instant>()> certificate_end;  // nothing in clear
  std::function<ConnectionCounts()> connections;
  SharedTokenCache* token_cache;  // null: there is none
  const RequestMetrics& requests;
  const LoadShedding& load;
  const RequestRates& rates;
};

std::string metrics_text(const MetricSources& sources);

}  // namespace portail
