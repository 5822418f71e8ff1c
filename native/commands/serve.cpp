#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

#include "core/service.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/import_run.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/commands/served_keys.hpp"
#include "native/commands/stop_signals.hpp"
#include "native/host/access_log.hpp"
#include "native/host/shared_token_cache.hpp"
#include "native/metrics/metrics_server.hpp"
#include "native/server/server.hpp"

namespace portail {
namespace {

constexpr std::size_t log_key_bytes = 32;

std::string log_key(const ServeSettings& settings, RandomSource& random) {
  if (!settings.log_key.empty()) return settings.log_key;
  std::string key(log_key_bytes, '\0');
  random.fill(std::as_writable_bytes(std::span(key)));
  return key;
}

// What the operator may want to change, though the server serves.
void log_remarks(const ServeSettings& settings, const ServeSetup& setup, JsonLog& log) {
  if (settings.log_key.empty()) {
    log.write(LogLevel::info, "subjects in the log are named by a key of this run only: set PORTAIL_LOG_KEY");
  }
  if (setup.portal.empty && settings.import_file.empty()) {
    log.warn("the store is empty", "portail import fills it, while the server runs too");
  }
}

std::optional<SharedTokenCache> make_token_cache(std::size_t capacity, RandomSource& random) {
  if (capacity == 0) return std::nullopt;
  Hash32 key;
  random.fill(key);
  return std::optional<SharedTokenCache>(std::in_place, key, capacity);
}

// Not ready first; then, after the drain, no new connections; then the end, when the last answer is written. A second
// signal ends the program there and then.
void stop_on_signal(StopSignals& signals, Server& server, JsonLog& log, std::chrono::milliseconds drain) {
  if (!signals.wait()) return;
  log.write(LogLevel::info, "stopping");
  server.drain();
  const bool again = drain.count() > 0 && signals.wait(drain);
  if (!again) {
    server.stop();
    if (!signals.wait()) return;
  }
  log.warn("stopped at once by a second signal", "");
  std::_Exit(static_cast<int>(ExitStatus::failure));
}

std::expected<void, Fault> serve(CLI::App& command, ServeSettings& settings) {
  StopSignals signals;
  auto setup = set_up(command, settings, StoreAccess::serve);
  if (!setup) return std::unexpected(setup.error());
  if (!settings.import_file.empty()) {
    const auto imported = import_files(setup->portal, settings.import_file, {}, {});
    if (!imported) return std::unexpected(imported.error());
  }
  prune_audit(setup->portal, setup->plan.days_to_keep_audit);
  JsonLog log(setup->plan.log_level);
  SystemClock clock;
  SystemRandom random;
  AccessLog access_log(log, log_key(settings, random), !settings.no_access_log);
  ServedKeys keys(*setup, settings.workers, log);
  auto token_cache = make_token_cache(settings.token_cache, random);
  const Service service(setup->plan.settings, keys.source(), *setup->portal.store);
  const Host host{.service = service,
                  .clock = clock,
                  .random = random,
                  .log = log,
                  .access_log = access_log,
                  .token_cache = token_cache ? &*token_cache : nullptr};
  const ServePlan& plan = setup->plan;
  const std::string_view scheme = setup->tls ? "https" : "http";
  Server server(
      {.address = plan.address,
       .port = plan.port,
       .tls = std::move(setup->tls),
       .trusted_proxies = plan.trusted_proxies,
       .workers = settings.workers,
       .connections = {.in_all = settings.max_connections, .per_address = settings.max_connections_per_address}},
      host);
  const auto port = server.listen();
  if (!port) return failure(port.error());
  MetricsServer metrics({.keys = [&keys] { return keys.status(); },
                         .token_cache = host.token_cache ? &*token_cache : nullptr,
                         .requests = access_log});
  if (plan.metrics) {
    const auto metrics_port = metrics.start(plan.metrics->address, plan.metrics->port);
    if (!metrics_port) return failure(metrics_port.error());
    log.write(LogLevel::info, "metrics are served", {{.name = "port", .text = std::to_string(*metrics_port)}});
  }
  keys.start();
  log_remarks(settings, *setup, log);
  const std::string host_part = plan.address.contains(':') ? "[" + plan.address + "]" : plan.address;
  std::printf("portail: listening on %s://%s:%d\n", scheme.data(), host_part.c_str(), *port);
  std::fflush(stdout);

  std::thread stopper([&] { stop_on_signal(signals, server, log, plan.drain); });
  const auto served = server.serve();
  signals.release();
  stopper.join();
  log.write(LogLevel::info, "stopped");
  if (!served) return failure(served.error());
  return {};
}

}  // namespace

void add_serve_command(CLI::App& program, ExitStatus& status) {
  auto settings = std::make_shared<ServeSettings>();
  CLI::App& command = *program.add_subcommand("serve", "Serve the portal");
  add_serve_options(command, *settings);
  on_command(command, status, [&command, settings] { return serve(command, *settings); });
}

}  // namespace portail
