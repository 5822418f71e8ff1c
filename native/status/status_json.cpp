#include "native/status/status_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/host/log.hpp"

namespace portail {
namespace {

void number(JsonWriter& json, std::string_view name, std::optional<double> value) {
  json.name(name);
  if (!value || !std::isfinite(*value)) {
    json.null();
    return;
  }
  std::array<char, 32> digits{};  // the shortest that is read back as the same number has at most 24
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), *value);
  json.raw({digits.data(), written.ptr});
}

}  // namespace

std::string status_json(const ReadHealth& health, const StatusFigures& figures) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("status").raw(log_string(health.status)).name("parts").begin_object();
  for (const ReadPart& part : health.parts) {
    const std::string name = log_string(part.name);
    json.name(std::string_view(name).substr(1, name.size() - 2)).begin_object();
    json.name("status").raw(log_string(part.status)).name("detail").raw(log_string(part.detail)).end_object();
  }
  json.end_object().name("version").raw(log_string(figures.version));
  number(json, "runsFor", figures.runs_for);
  number(json, "requests", figures.requests);
  number(json, "refused", figures.refused);
  number(json, "failed", figures.failed);
  number(json, "shed", figures.shed);
  number(json, "limited", figures.limited);
  number(json, "halfWithin", figures.usual);
  number(json, "mostWithin", figures.late);
  number(json, "connections", figures.connections);
  number(json, "mostConnections", figures.most_connections);
  number(json, "processors", figures.processors);
  number(json, "memory", figures.memory);
  number(json, "openFiles", figures.files);
  number(json, "mostOpenFiles", figures.most_files);
  json.name("routes").begin_array();
  for (const RouteFigures& route : figures.routes) {
    json.begin_object().name("route").raw(log_string(route.name));
    number(json, "requests", route.requests);
    number(json, "mostWithin", route.late);
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace portail
