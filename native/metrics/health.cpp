#include "native/metrics/health.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/json/writer.hpp"
#include "core/storage/format.hpp"
#include "native/host/last_remark.hpp"
#include "native/host/system.hpp"
#include "native/http/certificate_time.hpp"

namespace portail {
namespace {

constexpr std::int64_t longest_look_microseconds = 2'000'000;

std::string_view name_of(Health health) {
  switch (health) {
    case Health::healthy:
      return "Healthy";
    case Health::degraded:
      return "Degraded";
    case Health::unhealthy:
      break;
  }
  return "Unhealthy";
}

Task<FormatState> ask(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return co_await read_format(context, *session);
}

Task<HealthPart> health_of_store(Context& context, const MetricSources& sources) {
  LastRemark remark;
  Context asking{.clock = context.clock,
                 .random = context.random,
                 .log = remark,
                 .frames = context.frames,
                 .deadline = {context.clock.now().microseconds + longest_look_microseconds},
                 .waiting_place = context.waiting_place};
  const auto format = co_await outcome(ask(asking, sources.store));
  const auto part = [](Health health, std::string detail) {
    return HealthPart{.name = "store", .health = health, .detail = std::move(detail)};
  };
  if (!format) {
    co_return part(Health::unhealthy, sources.store_name + " cannot be read: " + remark.text_or("it gives no answer"));
  }
  if (*format == FormatState::newer || *format == FormatState::unknown) {
    co_return part(Health::unhealthy, sources.store_name + ": " + std::string(describe(*format)));
  }
  if (*format == FormatState::absent) {
    co_return part(Health::healthy, sources.store_name + " answers; nothing was imported into it yet");
  }
  co_return part(Health::healthy, sources.store_name + " answers");
}

HealthPart health_of_keys(const KeyStatus& status) {
  std::string detail = std::to_string(status.keys) + " usable";
  if (status.age) detail += ", their source last answered " + std::to_string(status.age->count()) + " s ago";
  if (status.failures_in_a_row > 0) {
    detail += "; " + std::to_string(status.failures_in_a_row) + " failures in a row: " + status.last_failure;
  }
  const Health health = status.keys == 0               ? Health::unhealthy
                        : status.failures_in_a_row > 0 ? Health::degraded
                                                       : Health::healthy;
  return {.name = "keys", .health = health, .detail = std::move(detail)};
}

HealthPart health_of_certificate(Instant end, Instant now) {
  const auto part = [](Health health, std::string detail) {
    return HealthPart{.name = "certificate", .health = health, .detail = std::move(detail)};
  };
  if (end.seconds() < now.seconds()) {
    return part(Health::unhealthy, "it expired on " + day_text(end) + ": clients refuse it");
  }
  if (const auto day = soon_expiry({.begin = {}, .end = end}, now)) {
    return part(Health::degraded, "it expires on " + *day + ", within 30 days");
  }
  return part(Health::healthy, "it is valid until " + day_text(end));
}

HealthPart health_of_connections(const ConnectionCounts& counts) {
  std::string detail = std::to_string(counts.open) + " of " + std::to_string(counts.max) + " are open";
  if (counts.open >= counts.max) detail += ": further ones are turned away";
  return {.name = "connections",
          .health = counts.open < counts.max ? Health::healthy : Health::degraded,
          .detail = std::move(detail)};
}

HealthPart health_of_load(const LoadShedding& load) {
  const bool sheds = load.sheds(std::chrono::steady_clock::now());
  return {.name = "load",
          .health = sheds ? Health::degraded : Health::healthy,
          .detail = sheds ? "requests are shed that wait too long for a worker" : "nothing is shed"};
}

}  // namespace

Task<std::vector<HealthPart>> health_of(Context& context, const MetricSources& sources) {
  std::vector<HealthPart> parts{co_await health_of_store(context, sources)};
  parts.push_back(health_of_keys(sources.keys()));
  if (const auto end = sources.certificate_end()) {
    parts.push_back(health_of_certificate(*end, SystemClock().now()));
  }
  parts.push_back(health_of_connections(sources.connections()));
  parts.push_back(health_of_load(sources.load));
  const bool draining = sources.is_draining();
  parts.push_back({.name = "host",
                   .health = draining ? Health::unhealthy : Health::healthy,
                   .detail = draining ? "the server stops" : "the server runs"});
  co_return parts;
}

Health health_in_all(const std::vector<HealthPart>& parts) {
  return parts.empty() ? Health::healthy : std::ranges::max(parts, {}, &HealthPart::health).health;
}

std::string health_text(const std::vector<HealthPart>& parts) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("status").string(name_of(health_in_all(parts))).name("parts").begin_object();
  for (const HealthPart& part : parts) {
    json.name(part.name).begin_object().name("status").string(name_of(part.health));
    json.name("detail").string(part.detail).end_object();
  }
  json.end_object().end_object();
  return text;
}

}  // namespace portail
