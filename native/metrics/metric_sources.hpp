// The sources of metrics and health.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cache_key.hpp"
#include "core/base/time.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/http/tls.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/server/admission.hpp"
#include "native/server/request_rates.hpp"
#include "native/server/unsent_answers.hpp"
#include "native/stores/store_scheme.hpp"
#include "native/system/shared_caches.hpp"
#include "native/telemetry/request_metrics.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {

// The build of the program; constants.
struct BuildInfo {
  std::string_view version;
  std::string_view compiler;
  std::string_view system;
};

// All members must outlive their users and may be called on any thread.
struct MetricSources {
  BuildInfo build;
  Instant started;
  KeyValueStore& store;
  std::function<bool()> had_portal;        // whether the store was filled at the start or since
  std::function<bool()> accepts_writes;    // whether the last write succeeded
  std::string store_name;                  // as printed to users
  std::function<PoolCounts()> store_pool;  // empty if the store has no pool
  std::function<keys::Status()> keys;
  std::function<std::vector<ChainCertificate>()> certificates;  // the server's own first; none without TLS
  std::function<server::ConnectionCounts()> connections;
  std::function<bool()> is_draining;
  SharedTokenCache* token_cache;  // null if there is no cache
  std::function<CacheCounts()> answer_cache;
  std::function<CacheCounts()> value_cache;  // empty if the store's values are not cached
  const RequestMetrics& requests;
  const server::LoadShedding& load;
  const server::RequestRates& rates;
  const server::StreamLimit& streams;
  std::function<SpanCounts()> spans;  // empty if no spans are sent
};

}  // namespace portail
