// Where the numbers and words are that an operator may have of the running server.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/host/shared_token_cache.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/metrics/request_metrics.hpp"
#include "native/server/connection_counts.hpp"
#include "native/server/load_shedding.hpp"
#include "native/server/request_rates.hpp"
#include "native/server/stream_limit.hpp"
#include "native/stores/pool_counts.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {

// What the program was built of; constants.
struct BuildInfo {
  std::string_view version;
  std::string_view compiler;
  std::string_view system;
};

// All of it outlives who asks, and is asked from any thread.
struct MetricSources {
  BuildInfo build;
  Instant started;
  KeyValueStore& store;
  std::string store_name;                  // for people
  std::function<PoolCounts()> store_pool;  // empty: the store has none
  std::function<KeyStatus()> keys;
  std::function<std::optional<Instant>()> certificate_end;  // nothing in clear
  std::function<ConnectionCounts()> connections;
  std::function<bool()> is_draining;
  SharedTokenCache* token_cache;  // null: there is none
  const RequestMetrics& requests;
  const LoadShedding& load;
  const RequestRates& rates;
  const StreamLimit& streams;
  std::function<SpanCounts()> spans;  // empty: none are sent
};

}  // namespace portail
