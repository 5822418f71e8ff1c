#include "native/metrics/health.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/json/writer.hpp"
#include "core/storage/format.hpp"
#include "native/http/certificate.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::int64_t store_timeout_microseconds = 2'000'000;

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

Task<HealthPart> check_store(Context& context, const MetricSources& sources) {
  LastWarning warning;
  Context store_context{.clock = context.clock,
                        .random = context.random,
                        .log = warning,
                        .frames = context.frames,
                        .deadline = {context.clock.now().microseconds + store_timeout_microseconds},
                        .suspension = context.suspension};
  const auto format = co_await outcome(read_format(store_context, sources.store));
  const auto part = [](Health health, std::string detail) {
    return HealthPart{.name = "store", .health = health, .detail = std::move(detail)};
  };
  if (!format) {
    co_return part(Health::unhealthy, sources.store_name + " cannot be read: " + warning.text_or("it does not answer"));
  }
  if (!is_readable(*format) || (*format == FormatState::absent && sources.had_portal())) {
    co_return part(Health::unhealthy, sources.store_name + ": " + std::string(describe(*format)));
  }
  if (*format == FormatState::absent) {
    co_return part(Health::healthy, sources.store_name + " answers; it is empty");
  }
  if (!sources.accepts_writes()) {
    co_return part(Health::degraded, sources.store_name + " answers; the last write failed");
  }
  co_return part(Health::healthy, sources.store_name + " answers");
}

HealthPart check_keys(const keys::Status& status) {
  std::string detail = std::to_string(status.keys) + " usable";
  if (status.age) detail += ", their source last answered " + std::to_string(status.age->count()) + " s ago";
  if (status.consecutive_failures > 0) {
    detail += "; " + counted(status.consecutive_failures, "failure", "failures") + " in a row: " + status.last_failure;
  }
  const Health health = status.keys == 0                  ? Health::unhealthy
                        : status.consecutive_failures > 0 ? Health::degraded
                                                          : Health::healthy;
  return {.name = "keys", .health = health, .detail = std::move(detail)};
}

// An expired issuer may be one that no client needs.
HealthPart check_certificate(std::span<const ChainCertificate> chain, Instant now) {
  const auto part = [](Health health, std::string detail) {
    return HealthPart{.name = "certificate", .health = health, .detail = std::move(detail)};
  };
  if (const Instant end = chain.front().validity.end; end.seconds() < now.seconds()) {
    return part(Health::unhealthy, "it expired on " + day_text(end) + ": clients refuse it");
  }
  const ChainCertificate& first = first_to_expire(chain);
  if (first.validity.end.seconds() < now.seconds()) {
    return part(Health::degraded, first.name + " expired on " + day_text(first.validity.end) +
                                      ": clients that need it refuse the server");
  }
  if (const auto day = expiry_if_soon(first.validity, now)) {
    return part(Health::degraded, "it expires on " + *day + ", within 30 days");
  }
  return part(Health::healthy, "it is valid until " + day_text(first.validity.end));
}

HealthPart check_connections(const server::ConnectionCounts& counts) {
  std::string detail = std::to_string(counts.open) + " of " + std::to_string(counts.max) + " are open";
  if (counts.open >= counts.max) detail += ": further ones are refused";
  return {.name = "connections",
          .health = counts.open < counts.max ? Health::healthy : Health::degraded,
          .detail = std::move(detail)};
}

HealthPart check_load(const server::LoadShedding& load) {
  const bool sheds = load.is_shedding(std::chrono::steady_clock::now());
  return {.name = "load",
          .health = sheds ? Health::degraded : Health::healthy,
          .detail = sheds ? "requests that wait too long for a worker are shed" : "no request is shed"};
}

}  // namespace

Task<std::vector<HealthPart>> check_health(Context& context, const MetricSources& sources) {
  std::vector<HealthPart> parts{co_await check_store(context, sources)};
  parts.push_back(check_keys(sources.keys()));
  if (const auto certificates = sources.certificates(); !certificates.empty()) {
    parts.push_back(check_certificate(certificates, SystemClock().now()));
  }
  parts.push_back(check_connections(sources.connections()));
  parts.push_back(check_load(sources.load));
  const bool draining = sources.is_draining();
  parts.push_back({.name = "host",
                   .health = draining ? Health::unhealthy : Health::healthy,
                   .detail = draining ? "the server is stopping" : "the server is running"});
  co_return parts;
}

Health overall_health(const std::vector<HealthPart>& parts) {
  return parts.empty() ? Health::healthy : std::ranges::max(parts, {}, &HealthPart::health).health;
}

std::string health_json(const std::vector<HealthPart>& parts) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("status").string(name_of(overall_health(parts))).name("parts").begin_object();
  for (const HealthPart& part : parts) {
    json.name(part.name).begin_object().name("status").string(name_of(part.health));
    json.name("detail").string(part.detail).end_object();
  }
  json.end_object().end_object();
  return text;
}

}  // namespace portail
