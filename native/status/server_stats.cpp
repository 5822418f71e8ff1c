#include "native/status/server_stats.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);  // +Inf
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses a quoted text. `rest` begins after the first quote, and after the call behind the last one.
std::string parse_quoted(std::string_view& rest) {
  std::string text;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1) {
      rest.remove_prefix(1);
      text += rest.front() == 'n' ? '\n' : rest.front();
    } else {
      text += rest.front();
    }
    rest.remove_prefix(1);
  }
  if (!rest.empty()) rest.remove_prefix(1);
  return text;
}

// name{label="value",…} number
std::optional<MetricSample> parse_sample(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  MetricSample sample;
  const std::size_t end = line.find_first_of("{ ");
  if (end == std::string_view::npos) return std::nullopt;
  sample.name = line.substr(0, end);
  std::string_view rest = line.substr(end + 1);
  if (line[end] == '{') {
    while (!rest.empty() && rest.front() != '}') {
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) return std::nullopt;
      const std::string name(rest.substr(0, equals));
      rest.remove_prefix(equals + 2);
      sample.labels.emplace_back(name, parse_quoted(rest));
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    if (!rest.starts_with("} ")) return std::nullopt;
    rest.remove_prefix(2);
  }
  const auto value = parse_number(rest);
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::string_view MetricSample::label(std::string_view label_name) const {
  const auto found =
      std::ranges::find(labels, label_name, [](const auto& each) -> std::string_view { return each.first; });
  return found == labels.end() ? std::string_view() : found->second;
}

MetricsSnapshot::MetricsSnapshot(std::string_view text) {
  while (!text.empty()) {
    if (auto sample = parse_sample(take_until(text, '\n'))) samples_.push_back(std::move(*sample));
  }
}

std::optional<double> MetricsSnapshot::value(std::string_view name) const {
  const auto found = std::ranges::find(samples_, name, &MetricSample::name);
  if (found == samples_.end()) return std::nullopt;
  return found->value;
}

double MetricsSnapshot::sum(std::string_view name, const MetricLabels& labels) const {
  double sum = 0;
  for (const MetricSample& sample : samples_) {
    const bool matches =
        std::ranges::all_of(labels, [&sample](const auto& label) { return sample.label(label.first) == label.second; });
    if (sample.name == name && matches) sum += sample.value;
  }
  return sum;
}

namespace {

constexpr std::string_view requests_total = "portail_requests_total";
constexpr std::string_view duration_bucket = "portail_request_duration_seconds_bucket";

double upper_bound_of(std::string_view le) {
  const MetricsSnapshot one("x " + std::string(le));
  return one.value("x").value_or(std::numeric_limits<double>::infinity());
}

// The number of requests within each upper bound, between two snapshots.
using Buckets = std::map<double, double>;

Buckets buckets_between(const MetricsSnapshot& before, const MetricsSnapshot& after, const MetricLabels& labels) {
  Buckets buckets;
  const auto add = [&](const MetricsSnapshot& snapshot, double sign) {
    for (const MetricSample& sample : snapshot.samples()) {
      const bool matches = std::ranges::all_of(
          labels, [&sample](const auto& label) { return sample.label(label.first) == label.second; });
      if (sample.name == duration_bucket && matches) buckets[upper_bound_of(sample.label("le"))] += sign * sample.value;
    }
  };
  add(after, 1);
  add(before, -1);
  return buckets;
}

// The quantile in seconds, computed like Prometheus' histogram_quantile().
std::optional<double> quantile(const Buckets& buckets, double part) {
  if (buckets.empty() || buckets.rbegin()->second <= 0) return std::nullopt;
  const double rank = part * buckets.rbegin()->second;
  double below = 0;
  double bound_below = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= rank) {
      if (bound == std::numeric_limits<double>::infinity()) return bound_below;
      return bound_below + (bound - bound_below) * (count > below ? (rank - below) / (count - below) : 1);
    }
    below = count;
    bound_below = bound;
  }
  return bound_below;
}

std::vector<RouteStats> routes_between(const MetricsSnapshot& before, const MetricsSnapshot& after, double seconds) {
  std::map<std::pair<std::string, std::string>, double> counts;
  const auto add = [&](const MetricsSnapshot& snapshot, double sign) {
    for (const MetricSample& sample : snapshot.samples()) {
      if (sample.name != requests_total) continue;
      counts[{std::string(sample.label("method")), std::string(sample.label("route"))}] += sign * sample.value;
    }
  };
  add(after, 1);
  add(before, -1);
  std::vector<RouteStats> routes;
  for (const auto& [which, count] : counts) {
    const auto& [method, route] = which;
    if (count <= 0) continue;
    routes.push_back({.name = method + ' ' + route,
                      .requests = count / seconds,
                      .p99 = quantile(buckets_between(before, after, {{"method", method}, {"route", route}}), 0.99)});
  }
  std::ranges::stable_sort(routes, std::greater(), &RouteStats::requests);
  return routes;
}

}  // namespace

std::optional<HealthReport> parse_health_report(std::string_view text) {
  const auto document = parse_json(text);
  const auto health = document ? object_of(document->root()) : std::nullopt;
  const auto found = health ? member(*health, "parts") : std::nullopt;
  const auto parts = found ? object_of(*found) : std::nullopt;
  if (!parts) return std::nullopt;
  HealthReport read{.status = std::string(string_member(*health, "status").value_or("")), .parts = {}};
  for (const JsonMember each : *parts) {
    const auto part = object_of(each.value);
    if (!part) return std::nullopt;
    read.parts.push_back({.name = std::string(each.name),
                          .status = std::string(string_member(*part, "status").value_or("")),
                          .detail = std::string(string_member(*part, "detail").value_or(""))});
  }
  return read;
}

ServerStats compute_stats(const MetricsSnapshot& before, const MetricsSnapshot& after, double seconds, double now) {
  ServerStats stats;
  stats.uptime = std::max(now - after.value("process_start_time_seconds").value_or(now), 0.0);
  if (before.samples().empty()) seconds = stats.uptime;
  seconds = std::max(seconds, 0.001);
  const auto rate = [&](std::string_view name, const MetricLabels& labels = {}) {
    return std::max(after.sum(name, labels) - before.sum(name, labels), 0.0) / seconds;
  };
  for (const MetricSample& sample : after.samples()) {
    if (sample.name == "portail_build_info") stats.version = sample.label("version");
  }
  stats.requests = rate(requests_total);
  stats.refused = rate(requests_total, {{"status", "4xx"}});
  stats.failed = rate(requests_total, {{"status", "5xx"}});
  stats.shed = rate("portail_shed_total");
  stats.limited = rate("portail_limited_total");
  const Buckets buckets = buckets_between(before, after, {});
  stats.p50 = quantile(buckets, 0.5);
  stats.p99 = quantile(buckets, 0.99);
  stats.connections = after.value("portail_connections").value_or(0);
  stats.max_connections = after.value("portail_connections_max").value_or(0);
  stats.processors = rate("process_cpu_seconds_total");
  stats.memory = after.value("process_resident_memory_bytes").value_or(0);
  stats.open_files = after.value("process_open_fds").value_or(0);
  stats.max_open_files = after.value("process_max_fds").value_or(0);
  stats.routes = routes_between(before, after, seconds);
  return stats;
}

}  // namespace portail
