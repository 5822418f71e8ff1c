#include "native/metrics/metrics.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include "native/metrics/health.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;
using prometheus::MetricFamily, prometheus::MetricType;
using Families = std::vector<MetricFamily>;

struct Sample {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  double value = 0;
};

MetricFamily family(MetricType type, const char* name, const char* help, const std::vector<Sample>& samples) {
  MetricFamily made{.name = name, .help = help, .type = type, .metric = {}};
  for (const Sample& sample : samples) {
    prometheus::ClientMetric& metric = made.metric.emplace_back();
    for (const auto& [label, value] : sample.labels) {
      metric.label.push_back({.name = std::string(label), .value = std::string(value)});
    }
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = sample.value;
  }
  return made;
}

MetricFamily counters(const char* name, const char* help, const std::vector<Sample>& samples) {
  return family(MetricType::Counter, name, help, samples);
}

MetricFamily gauges(const char* name, const char* help, const std::vector<Sample>& samples) {
  return family(MetricType::Gauge, name, help, samples);
}

MetricFamily counter(const char* name, const char* help, double value) {
  return counters(name, help, {{.labels = {}, .value = value}});
}

MetricFamily gauge(const char* name, const char* help, double value) {
  return gauges(name, help, {{.labels = {}, .value = value}});
}

double number(std::uint64_t value) { return static_cast<double>(value); }

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double number_of_open_files() {
  std::error_code failed;
  double count = -1;  // the directory itself is open too
  for (fs::directory_iterator file("/proc/self/fd", failed); !failed && file != fs::directory_iterator();
       file.increment(failed)) {
    ++count;
  }
  return count;
}

// Adds the metrics of the process by Prometheus' standard names: processor time, memory, open files. Omits those that
// the system does not report. `started`: the start of this process.
void add_process(Families& families, Instant started) {
  families.push_back(gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
                           static_cast<double>(started.microseconds) / 1e6));
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    families.push_back(counter("process_cpu_seconds_total", "Processor time of the process, user and system.",
                               seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)));
  }
  double pages_in_all = 0;
  double pages_resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages_in_all >> pages_resident) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    families.push_back(gauge("process_virtual_memory_bytes", "Mapped memory.", pages_in_all * page));
    families.push_back(gauge("process_resident_memory_bytes", "Resident memory.", pages_resident * page));
  }
  if (const double files = number_of_open_files(); files >= 0) {
    families.push_back(gauge("process_open_fds", "Open files and sockets.", files));
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    families.push_back(gauge("process_max_fds", "Maximum number of open files and sockets.", number(limit.rlim_cur)));
  }
}

void add_build(Families& families, const BuildInfo& build) {
  families.push_back(gauges(
      "portail_build_info", "Always 1; the labels describe the build.",
      {{.labels = {{"version", build.version}, {"compiler", build.compiler}, {"system", build.system}}, .value = 1}}));
}

void add_health(Families& families, const std::vector<HealthPart>& parts) {
  std::vector<Sample> samples;
  for (const HealthPart& part : parts) {
    samples.push_back({.labels = {{"part", part.name}}, .value = part.health == Health::unhealthy ? 0.0 : 1.0});
  }
  families.push_back(gauges("portail_healthy", "0 if this part of GET /health is Unhealthy, else 1.", samples));
}

void add_connections(Families& families, const server::ConnectionCounts& counts) {
  families.push_back(gauge("portail_connections", "Open connections.", number(counts.open)));
  families.push_back(gauge("portail_connections_max", "Maximum number of open connections.", number(counts.max)));
  families.push_back(counter("portail_connections_total", "Accepted connections.", number(counts.accepted)));
  families.push_back(counter("portail_connections_turned_away_total",
                             "Connections refused by --max-connections or --max-connections-per-address.",
                             number(counts.rejected)));
  families.push_back(gauge("portail_unsent_bytes",
                           "Memory of answers that clients have not received yet; limit: --max-unsent.",
                           number(counts.unsent_bytes)));
}

void add_store_pool(Families& families, const PoolCounts& counts) {
  families.push_back(gauge("portail_store_connections",
                           "Open connections to the server of a redis: or postgres: store.", number(counts.open)));
  families.push_back(
      gauge("portail_store_connections_busy", "Of these, connections that a request uses.", number(counts.busy)));
  families.push_back(gauge("portail_store_connections_max",
                           "Maximum number of connections to the store's server: pool in its URL.",
                           number(counts.max)));
  families.push_back(gauge("portail_store_waiting", "Requests that wait for a connection to the store's server.",
                           number(counts.waiting)));
}

void add_answer_cache(Families& families, const CacheCounts& counts) {
  families.push_back(
      counter("portail_answer_cache_hits_total", "Answers sent from the cache of answers.", number(counts.hits)));
  families.push_back(counter("portail_answer_cache_misses_total",
                             "Answers built because the cache had none of the current values.", number(counts.misses)));
  families.push_back(counter("portail_answer_cache_evictions_total",
                             "Least recently used answers removed from the full cache.", number(counts.evictions)));
  families.push_back(gauge("portail_answer_cache_bytes", "Memory of the cached answers.", number(counts.bytes)));
}

void add_value_cache(Families& families, const CacheCounts& counts) {
  families.push_back(
      counter("portail_value_cache_hits_total",
              "Stored values taken from the cache of values; present for dir:, redis: and postgres: stores.",
              number(counts.hits)));
  families.push_back(counter("portail_value_cache_misses_total",
                             "Stored values read because the cache had none of the current revision.",
                             number(counts.misses)));
  families.push_back(counter("portail_value_cache_evictions_total",
                             "Least recently used values removed from the full cache.", number(counts.evictions)));
  families.push_back(gauge("portail_value_cache_bytes", "Memory of the cached values.", number(counts.bytes)));
}

void add_keys(Families& families, const keys::Status& status) {
  families.push_back(gauge("portail_key_set_keys", "Usable keys of the key set.", number(status.keys)));
  if (status.age) {
    families.push_back(gauge("portail_key_set_age_seconds",
                             "Seconds since the source of the key set last answered; absent before its first answer.",
                             static_cast<double>(status.age->count())));
  }
  families.push_back(
      counter("portail_key_set_refreshes_total", "Attempts to fetch the key set.", number(status.refreshes)));
  families.push_back(counter("portail_key_set_refresh_failures_total", "Failed attempts to fetch the key set.",
                             number(status.failures)));
}

MetricFamily queue_times(const server::QueueTimes& times) {
  MetricFamily made{.name = "portail_queue_delay_seconds",
                    .help = "Time for which connections that were ready waited for a worker.",
                    .type = MetricType::Histogram,
                    .metric = {}};
  prometheus::ClientMetric::Histogram& histogram = made.metric.emplace_back().histogram;
  using Seconds = std::chrono::duration<double>;
  for (std::size_t i = 0; i <= times.bounds.size(); ++i) {
    histogram.sample_count += times.count(i);
    const double bound = i < times.bounds.size() ? Seconds(std::chrono::microseconds(times.bounds.at(i))).count()
                                                 : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({.cumulative_count = histogram.sample_count, .upper_bound = bound});
  }
  histogram.sample_sum = Seconds(times.sum()).count();
  return made;
}

void add_load(Families& families, const server::LoadShedding& load, const server::RequestRates& rates,
              const server::StreamLimit& streams) {
  families.push_back(counter("portail_shed_total",
                             "Requests and TLS handshakes rejected by overload protection (--queue-timeout).",
                             number(load.shed())));
  families.push_back(queue_times(load.queue_times()));
  families.push_back(counters("portail_limited_total",
                              "Requests rejected (429) by --requests-per-address or --requests-per-subject.",
                              {{.labels = {{"by", "address"}}, .value = number(rates.refused_by_address())},
                               {.labels = {{"by", "subject"}}, .value = number(rates.refused_by_subject())}}));
  families.push_back(counter("portail_streams_refused_total", "Requests rejected (503) by --max-streams-per-client.",
                             number(streams.refused())));
}

void add_spans(Families& families, const SpanCounts& counts) {
  families.push_back(counter("portail_otlp_spans_sent_total", "Spans that the collector accepted; present with --otlp.",
                             number(counts.sent)));
  families.push_back(
      counter("portail_otlp_spans_dropped_total",
              "Spans that the collector did not accept, or that exceeded the queue; present with --otlp.",
              number(counts.dropped)));
}

}  // namespace

Task<std::string> render_metrics(Context& context, const MetricSources& sources) {
  Families families;
  add_build(families, sources.build);
  if (sources.store_pool) add_store_pool(families, sources.store_pool());  // before the health check uses a connection
  add_health(families, co_await check_health(context, sources));
  add_process(families, sources.started);
  std::ranges::move(sources.requests.collect(), std::back_inserter(families));
  add_connections(families, sources.connections());
  add_load(families, sources.load, sources.rates, sources.streams);
  if (sources.spans) add_spans(families, sources.spans());
  add_keys(families, sources.keys());
  if (sources.token_cache) {
    const auto [hits, misses] = sources.token_cache->counts();
    families.push_back(counter("portail_token_cache_hits_total", "Tokens found in the cache.", number(hits)));
    families.push_back(
        counter("portail_token_cache_misses_total", "Tokens verified because the cache lacked them.", number(misses)));
  }
  add_answer_cache(families, sources.answer_cache());
  if (sources.value_cache) add_value_cache(families, sources.value_cache());
  if (const auto certificates = sources.certificates(); !certificates.empty()) {
    families.push_back(gauge(
        "portail_tls_certificate_not_after_timestamp_seconds",
        "When the TLS certificate, or one between it and the root, expires, in seconds since 1970; absent without TLS.",
        static_cast<double>(first_to_expire(certificates).validity.end.seconds())));
  }
  co_return prometheus::TextSerializer().Serialize(families);
}

}  // namespace portail
