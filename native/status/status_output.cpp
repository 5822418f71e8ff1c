#include "native/status/status_output.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/system/log.hpp"

namespace portail {
namespace {

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), written.ptr};
}

std::string rate(double value) { return fixed(value, value < 10 ? 1 : 0) + " a second"; }

std::string latency_text(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  if (*seconds < 1) return fixed(*seconds * 1000, *seconds < 0.01 ? 2 : 0) + " ms";
  return fixed(*seconds, 2) + " s";
}

std::string bytes(double value) { return fixed(value / 1024 / 1024, 0) + " MiB"; }

// The duration in its two largest units.
std::string uptime_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  if (whole < 86'400) return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  return std::to_string(whole / 86'400) + " d " + std::to_string(whole % 86'400 / 3600) + " h";
}

std::string ratio_text(double now, double max) { return fixed(now, 0) + " of " + fixed(max, 0); }

}  // namespace

std::vector<std::pair<std::string, std::string>> status_lines(const ServerStats& stats, std::string_view address) {
  std::vector<std::pair<std::string, std::string>> lines{
      {"server",
       "portail " + stats.version + " at " + std::string(address) + ", runs for " + uptime_text(stats.uptime)},
      {"requests", rate(stats.requests) + ", 4xx " + fixed(stats.refused, 1) + ", 5xx " + fixed(stats.failed, 1) +
                       ", shed " + fixed(stats.shed, 1) + ", limited " + fixed(stats.limited, 1)},
      {"answered", "p50 " + latency_text(stats.p50) + ", p99 " + latency_text(stats.p99)},
      {"connections", ratio_text(stats.connections, stats.max_connections)},
      {"open files", ratio_text(stats.open_files, stats.max_open_files)},
      {"processors", fixed(stats.processors, 2)},
      {"memory", bytes(stats.memory)},
  };
  for (const RouteStats& route : stats.routes) {
    lines.emplace_back("route", route.name + ": " + rate(route.requests) + ", p99 " + latency_text(route.p99));
  }
  return lines;
}

namespace {

void number(JsonWriter& json, std::string_view name, std::optional<double> value) {
  json.name(name);
  if (!value || !std::isfinite(*value)) {
    json.null();
    return;
  }
  std::array<char, 32> digits{};  // the shortest text of a double has at most 24 characters
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), *value);
  json.raw({digits.data(), written.ptr});
}

}  // namespace

std::string status_json(const HealthReport& health, const ServerStats& stats) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("status").raw(log_string(health.status)).name("parts").begin_object();
  for (const HealthReportPart& part : health.parts) {
    const std::string name = log_string(part.name);
    json.name(std::string_view(name).substr(1, name.size() - 2)).begin_object();
    json.name("status").raw(log_string(part.status)).name("detail").raw(log_string(part.detail)).end_object();
  }
  json.end_object().name("version").raw(log_string(stats.version));
  number(json, "runsFor", stats.uptime);
  number(json, "requests", stats.requests);
  number(json, "refused", stats.refused);
  number(json, "failed", stats.failed);
  number(json, "shed", stats.shed);
  number(json, "limited", stats.limited);
  number(json, "p50", stats.p50);
  number(json, "p99", stats.p99);
  number(json, "connections", stats.connections);
  number(json, "maxConnections", stats.max_connections);
  number(json, "processors", stats.processors);
  number(json, "memory", stats.memory);
  number(json, "openFiles", stats.open_files);
  number(json, "maxOpenFiles", stats.max_open_files);
  json.name("routes").begin_array();
  for (const RouteStats& route : stats.routes) {
    json.begin_object().name("route").raw(log_string(route.name));
    number(json, "requests", route.requests);
    number(json, "p99", route.p99);
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace portail
