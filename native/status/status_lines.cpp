#include "native/status/status_lines.hpp"

#include <array>
#include <charconv>
#include <optional>

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

}  // namespace portail
