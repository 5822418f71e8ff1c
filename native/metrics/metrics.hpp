// What a monitoring system may know of the running server, in Prometheus' text format. Any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "native/host/access_log.hpp"
#include "native/host/shared_token_cache.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/server/load_shedding.hpp"
#include "native/server/request_rates.hpp"

namespace portail {

// Where the numbers are. All of it outlives who asks.
struct MetricSources {
  std::function<KeyStatus()> keys;
  std::function<std::optional<Instant>()> certificate_end;  // nothing in clear
  SharedTokenCache* token_cache;                            // null: there is none
  const AccessLog& requests;
  const LoadShedding& load;
  const RequestRates& rates;
};

std::string metrics_text(const MetricSources& sources);

}  // namespace portail
