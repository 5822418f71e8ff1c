// Prints what GET /metrics answers if every optional part is present, for tools/docs/reference.py.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/context.hpp"
#include "core/storage/memory_store.hpp"
#include "native/metrics/metric_sources.hpp"
#include "native/metrics/metrics.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"

int main() {
  using namespace portail;
  SystemClock clock;
  SystemRandom random;
  LastWarning log;
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
  MemoryStore store;
  SharedTokenCache token_cache({}, 1);
  const RequestMetrics requests;
  const server::LoadShedding load(std::chrono::milliseconds(0));
  const server::RequestRates rates(0, 0, random);
  const server::StreamLimit streams(1);
  const MetricSources sources{.build = {.version = "1", .compiler = "1", .system = "1"},
                              .started = clock.now(),
                              .store = store,
                              .had_portal = [] { return true; },
                              .accepts_writes = [] { return true; },
                              .store_name = "memory:",
                              .store_pool = [] { return PoolCounts(); },
                              .keys = [] { return keys::Status{.age = std::chrono::seconds(0), .last_failure = {}}; },
                              .certificates = [] { return std::vector<ChainCertificate>(1); },
                              .connections = [] { return server::ConnectionCounts(); },
                              .is_draining = [] { return false; },
                              .token_cache = &token_cache,
                              .answer_cache = [] { return CacheCounts(); },
                              .value_cache = [] { return CacheCounts(); },
                              .requests = requests,
                              .load = load,
                              .rates = rates,
                              .streams = streams,
                              .spans = [] { return SpanCounts(); }};
  const auto text = run_ready(render_metrics(context, sources));
  if (!text) return 1;
  std::fputs(text->c_str(), stdout);
  return 0;
}
