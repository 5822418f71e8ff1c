#include "native/metrics/metrics.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "native/metrics/families.hpp"
#include "native/metrics/health.hpp"
#include "native/metrics/process_figures.hpp"

namespace portail {
namespace {

using Families = std::vector<prometheus::MetricFamily>;

double number(std::uint64_t value) { return static_cast<double>(value); }

void append(Families& families, Families more) {
  families.insert(families.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void add_build(Families& families, const BuildInfo& build) {
  families.push_back(gauges(
      "portail_build_info", "Always 1; its labels say what the program was built of.",
      {{.labels = {{"version", build.version}, {"compiler", build.compiler}, {"system", build.system}}, .value = 1}}));
}

void add_health(Families& families, const std::vector<HealthPart>& parts) {
  std::vector<Sample> samples;
  for (const HealthPart& part : parts) {
    samples.push_back({.labels = {{"part", part.name}}, .value = part.health == Health::unhealthy ? 0.0 : 1.0});
  }
  families.push_back(gauges("portail_healthy", "1, or 0 where that part keeps the server from serving.", samples));
}

void add_connections(Families& families, const ConnectionCounts& counts) {
  families.push_back(gauge("portail_connections", "Connections that are open.", number(counts.open)));
  families.push_back(gauge("portail_connections_max", "Connections that may be open.", number(counts.max)));
  families.push_back(counter("portail_connections_total", "Connections that were accepted.", number(counts.accepted)));
  families.push_back(counter("portail_connections_turned_away_total",
                             "Connections that were one too many, in all or from their address.",
                             number(counts.turned_away)));
  families.push_back(
      gauge("portail_unsent_bytes", "Memory of answers that wait for their clients.", number(counts.unsent_bytes)));
}

void add_store_pool(Families& families, const PoolCounts& counts) {
  families.push_back(
      gauge("portail_store_connections", "Connections to the store's server that are open.", number(counts.open)));
  families.push_back(gauge("portail_store_connections_busy", "Of these, those that a request has or a call uses.",
                           number(counts.busy)));
  families.push_back(gauge("portail_store_connections_max", "Connections to the store's server that may be open.",
                           number(counts.max)));
  families.push_back(gauge("portail_store_waiting", "Requests that wait for a connection to the store's server.",
                           number(counts.waiting)));
}

void add_keys(Families& families, const KeyStatus& status) {
  families.push_back(gauge("portail_key_set_keys", "Keys that tokens can be verified with.", number(status.keys)));
  if (status.age) {
    families.push_back(gauge("portail_key_set_age_seconds", "Seconds since the source of the key set last answered.",
                             static_cast<double>(status.age->count())));
  }
  families.push_back(
      counter("portail_key_set_refreshes_total", "Times that the key set was asked for.", number(status.refreshes)));
  families.push_back(counter("portail_key_set_refresh_failures_total",
                             "Times that the key set was asked for and did not come.", number(status.failures)));
}

void add_load(Families& families, const LoadShedding& load, const RequestRates& rates, const StreamLimit& streams) {
  families.push_back(
      counter("portail_shed_total", "Requests and TLS handshakes that there was no room for.", number(load.shed())));
  const std::chrono::duration<double> delay = load.delay();
  families.push_back(
      gauge("portail_queue_delay_seconds", "How long the last that a worker took had waited for it.", delay.count()));
  families.push_back(counters("portail_limited_total", "Requests that were one too many for their address or subject.",
                              {{.labels = {{"by", "address"}}, .value = number(rates.refused_by_address())},
                               {.labels = {{"by", "subject"}}, .value = number(rates.refused_by_subject())}}));
  families.push_back(counter("portail_streams_refused_total",
                             "Requests whose client had as many streamed answers under way as it may.",
                             number(streams.refused())));
}

void add_spans(Families& families, const SpanCounts& counts) {
  families.push_back(counter("portail_otlp_spans_sent_total", "Spans that the collector took.", number(counts.sent)));
  families.push_back(counter("portail_otlp_spans_dropped_total",
                             "Spans that it did not take, or that were one too many of those that waited for it.",
                             number(counts.dropped)));
}

}  // namespace

Task<std::string> metrics_text(Context& context, const MetricSources& sources) {
  Families families;
  add_build(families, sources.build);
  if (sources.store_pool) add_store_pool(families, sources.store_pool());  // before health waits for one too
  add_health(families, co_await health_of(context, sources));
  append(families, process_figures(sources.started));
  append(families, sources.requests.collect());
  add_connections(families, sources.connections());
  add_load(families, sources.load, sources.rates, sources.streams);
  if (sources.spans) add_spans(families, sources.spans->counts());
  add_keys(families, sources.keys());
  if (sources.token_cache) {
    const auto [hits, misses] = sources.token_cache->counts();
    families.push_back(counter("portail_token_cache_hits_total", "Tokens that were remembered.", number(hits)));
    families.push_back(counter("portail_token_cache_misses_total", "Tokens that had to be verified.", number(misses)));
  }
  if (const auto end = sources.certificate_end()) {
    families.push_back(gauge("portail_tls_certificate_not_after_timestamp_seconds",
                             "When the TLS certificate expires, in seconds since 1970.",
                             static_cast<double>(end->seconds())));
  }
  co_return prometheus::TextSerializer().Serialize(families);
}

}  // namespace portail
