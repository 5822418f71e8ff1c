#include "native/status/status_figures.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/json/reader.hpp"

namespace portail {
namespace {

constexpr std::string_view requests_total = "portail_requests_total";
constexpr std::string_view duration_bucket = "portail_request_duration_seconds_bucket";

double upper_bound_of(std::string_view le) {
  const MetricsReading one("x " + std::string(le));
  return one.value("x").value_or(std::numeric_limits<double>::infinity());
}

// How many requests were answered within each bound, between the two readings.
using Buckets = std::map<double, double>;

Buckets buckets_between(const MetricsReading& before, const MetricsReading& after, const MetricLabels& labels) {
  Buckets buckets;
  const auto add = [&](const MetricsReading& reading, double sign) {
    for (const ReadSample& sample : reading.samples()) {
      const bool fits = std::ranges::all_of(
          labels, [&sample](const auto& wanted) { return sample.label(wanted.first) == wanted.second; });
      if (sample.name == duration_bucket && fits) buckets[upper_bound_of(sample.label("le"))] += sign * sample.value;
    }
  };
  add(after, 1);
  add(before, -1);
  return buckets;
}

// The time within which that part of the requests was answered, as Prometheus' histogram_quantile() reckons it.
std::optional<double> quantile(const Buckets& buckets, double part) {
  if (buckets.empty() || buckets.rbegin()->second <= 0) return std::nullopt;
  const double wanted = part * buckets.rbegin()->second;
  double below = 0;
  double bound_below = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= wanted) {
      if (bound == std::numeric_limits<double>::infinity()) return bound_below;
      return bound_below + (bound - bound_below) * (count > below ? (wanted - below) / (count - below) : 1);
    }
    below = count;
    bound_below = bound;
  }
  return bound_below;
}

std::vector<RouteFigures> routes_between(const MetricsReading& before, const MetricsReading& after, double seconds) {
  std::map<std::pair<std::string, std::string>, double> asked;
  const auto add = [&](const MetricsReading& reading, double sign) {
    for (const ReadSample& sample : reading.samples()) {
      if (sample.name != requests_total) continue;
      asked[{std::string(sample.label("method")), std::string(sample.label("route"))}] += sign * sample.value;
    }
  };
  add(after, 1);
  add(before, -1);
  std::vector<RouteFigures> routes;
  for (const auto& [which, count] : asked) {
    const auto& [method, route] = which;
    if (count <= 0) continue;
    routes.push_back({.name = method + ' ' + route,
                      .requests = count / seconds,
                      .late = quantile(buckets_between(before, after, {{"method", method}, {"route", route}}), 0.99)});
  }
  std::ranges::stable_sort(routes, std::greater(), &RouteFigures::requests);
  return routes;
}

}  // namespace

std::optional<ReadHealth> read_health(std::string_view text) {
  const auto document = parse_json(text);
  const auto health = document ? object_of(document->root()) : std::nullopt;
  const auto found = health ? member(*health, "parts") : std::nullopt;
  const auto parts = found ? object_of(*found) : std::nullopt;
  if (!parts) return std::nullopt;
  ReadHealth read{.status = std::string(string_member(*health, "status").value_or("")), .parts = {}};
  for (const JsonMember each : *parts) {
    const auto part = object_of(each.value);
    if (!part) return std::nullopt;
    read.parts.push_back({.name = std::string(each.name),
                          .status = std::string(string_member(*part, "status").value_or("")),
                          .detail = std::string(string_member(*part, "detail").value_or(""))});
  }
  return read;
}

StatusFigures figures_of(const MetricsReading& before, const MetricsReading& after, double seconds, double now) {
  StatusFigures figures;
  figures.runs_for = std::max(now - after.value("process_start_time_seconds").value_or(now), 0.0);
  if (before.samples().empty()) seconds = figures.runs_for;
  seconds = std::max(seconds, 0.001);
  const auto rate = [&](std::string_view name, const MetricLabels& labels = {}) {
    return std::max(after.sum(name, labels) - before.sum(name, labels), 0.0) / seconds;
  };
  for (const ReadSample& sample : after.samples()) {
    if (sample.name == "portail_build_info") figures.version = sample.label("version");
  }
  figures.requests = rate(requests_total);
  figures.refused = rate(requests_total, {{"status", "4xx"}});
  figures.failed = rate(requests_total, {{"status", "5xx"}});
  figures.shed = rate("portail_shed_total");
  figures.limited = rate("portail_limited_total");
  const Buckets buckets = buckets_between(before, after, {});
  figures.usual = quantile(buckets, 0.5);
  figures.late = quantile(buckets, 0.99);
  figures.connections = after.value("portail_connections").value_or(0);
  figures.most_connections = after.value("portail_connections_max").value_or(0);
  figures.processors = rate("process_cpu_seconds_total");
  figures.memory = after.value("process_resident_memory_bytes").value_or(0);
  figures.files = after.value("process_open_fds").value_or(0);
  figures.most_files = after.value("process_max_fds").value_or(0);
  figures.routes = routes_between(before, after, seconds);
  return figures;
}

}  // namespace portail
