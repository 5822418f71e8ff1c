#include "native/status/status_json.hpp"

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
