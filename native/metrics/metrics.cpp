#include "native/metrics/metrics.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace portail {
namespace {

using prometheus::ClientMetric, prometheus::MetricFamily, prometheus::MetricType;

ClientMetric sample(MetricType type, double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return metric;
}

MetricFamily family(MetricType type, const char* name, const char* help, double value) {
  return {.name = name, .help = help, .type = type, .metric = {sample(type, value)}};
}

MetricFamily counter(const char* name, const char* help, std::uint64_t value) {
  return family(MetricType::Counter, name, help, static_cast<double>(value));
}

void add_keys(std::vector<MetricFamily>& families, const KeyStatus& status) {
  families.push_back(family(MetricType::Gauge, "portail_key_set_keys", "Keys that tokens can be verified with.",
                            static_cast<double>(status.keys)));
  if (status.age) {
    families.push_back(family(MetricType::Gauge, "portail_key_set_age_seconds",
                              "Seconds since the source of the key set last answered.",
                              static_cast<double>(status.age->count())));
  }
  families.push_back(
      counter("portail_key_set_refreshes_total", "Times that the key set was asked for.", status.refreshes));
  families.push_back(counter("portail_key_set_refresh_failures_total",
                             "Times that the key set was asked for and did not come.", status.failures));
}

MetricFamily requests_by_class(const AccessLog& requests) {
  MetricFamily answered{.name = "portail_requests_total",
                        .help = "Requests that were answered, by class of status.",
                        .type = MetricType::Counter,
                        .metric = {}};
  for (int status_class = 1; status_class <= 5; ++status_class) {
    ClientMetric metric = sample(MetricType::Counter, static_cast<double>(requests.answered(status_class)));
    metric.label.push_back({.name = "status", .value = std::to_string(status_class) + "xx"});
    answered.metric.push_back(std::move(metric));
  }
  return answered;
}

MetricFamily limited_by_what(const RequestRates& rates) {
  MetricFamily limited{.name = "portail_limited_total",
                       .help = "Requests that were one too many for their address or subject.",
                       .type = MetricType::Counter,
                       .metric = {}};
  for (const auto& [by, refused] :
       {std::pair{"address", rates.refused_by_address()}, std::pair{"subject", rates.refused_by_subject()}}) {
    ClientMetric metric = sample(MetricType::Counter, static_cast<double>(refused));
    metric.label.push_back({.name = "by", .value = by});
    limited.metric.push_back(std::move(metric));
  }
  return limited;
}

}  // namespace

std::string metrics_text(const MetricSources& sources) {
  std::vector<MetricFamily> families;
  add_keys(families, sources.keys());
  if (sources.token_cache) {
    const auto [hits, misses] = sources.token_cache->counts();
    families.push_back(counter("portail_token_cache_hits_total", "Tokens that were remembered.", hits));
    families.push_back(counter("portail_token_cache_misses_total", "Tokens that had to be verified.", misses));
  }
  if (const auto end = sources.certificate_end()) {
    families.push_back(family(MetricType::Gauge, "portail_tls_certificate_not_after_timestamp_seconds",
                              "When the TLS certificate expires, in seconds since 1970.",
                              static_cast<double>(end->seconds())));
  }
  families.push_back(requests_by_class(sources.requests));
  families.push_back(
      counter("portail_shed_total", "Requests and TLS handshakes that there was no room for.", sources.load.shed()));
  families.push_back(limited_by_what(sources.rates));
  const std::chrono::duration<double> delay = sources.load.delay();
  families.push_back(family(MetricType::Gauge, "portail_queue_delay_seconds",
                            "How long the last that a worker took had waited for it.", delay.count()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace portail
