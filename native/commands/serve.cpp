#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "core/service.hpp"
#include "native/commands/audit_prune.hpp"
#include "native/commands/import_run.hpp"
#include "native/commands/reload.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/commands/served_keys.hpp"
#include "native/commands/signals.hpp"
#include "native/commands/version.hpp"
#include "native/host/access_log.hpp"
#include "native/host/shared_answer_memory.hpp"
#include "native/host/shared_token_cache.hpp"
#include "native/host/terminal.hpp"
#include "native/metrics/management_server.hpp"
#include "native/metrics/request_metrics.hpp"
#include "native/page/page.hpp"
#include "native/server/freed_memory.hpp"
#include "native/server/portal_handler.hpp"
#include "native/server/server.hpp"
#include "native/server/worker_count.hpp"
#include "native/stores/current_store.hpp"
#include "native/stores/store_url.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {
namespace {

constexpr std::size_t log_key_bytes = 32;
constexpr std::chrono::seconds longest_last_export{1};

std::string log_key(const SettingValues& values, RandomSource& random) {
  if (!values.text("log-key").empty()) return values.text("log-key");
  std::string key(log_key_bytes, '\0');
  random.fill(std::as_writable_bytes(std::span(key)));
  return key;
}

std::size_t number_of_workers(const SettingValues& values) {
  if (!values.text("workers").empty()) return static_cast<std::size_t>(values.number("workers"));
  return default_workers(std::thread::hardware_concurrency());
}

// What the operator may want to change, though the server serves.
void log_remarks(const SettingValues& values, const ServeSetup& setup, JsonLog& log) {
  if (values.text("log-key").empty()) {
    log.write(LogLevel::info, "subjects in the log are named by a key of this run only: set PORTAIL_LOG_KEY");
  }
  if (setup.portal.empty && values.text("import").empty()) {
    log.warn("the store is empty", "portail import fills it, while the server runs too");
  }
  if (const auto& url = setup.portal.url; url.scheme->try_to_write) {
    const auto tried = url.scheme->try_to_write(url.place);
    if (!tried) log.warn("the store takes no writes: what changes anything is refused with 503", tried.error());
  }
  warn_of_certificate(values, setup.tls.get(), log);
}

std::optional<SharedTokenCache> make_token_cache(std::size_t capacity, RandomSource& random) {
  if (capacity == 0) return std::nullopt;
  Hash32 key;
  random.fill(key);
  return std::optional<SharedTokenCache>(std::in_place, key, capacity);
}

std::function<PoolCounts()> pool_of(OpenStore& portal) {
  if (!portal.url.scheme->pool) return nullptr;
  return [&portal] { return portal.url.scheme->pool(*portal.store); };
}

std::function<SpanCounts()> span_counts_of(const SpanExport* spans) {
  if (!spans) return nullptr;
  return [spans] { return spans->counts(); };
}

// Not ready first; then, after the drain, no new connections; then the end, when the last answer is written. A second
// signal ends the program there and then, without a line of the log lost.
void stop(Signals& signals, Server& server, JsonLog& log, std::chrono::milliseconds drain) {
  log.write(LogLevel::info, "stopping");
  server.drain();
  const bool again = signals.wait_for_stop(std::chrono::steady_clock::now() + drain);
  if (!again) {
    server.stop();
    if (!signals.wait_for_stop()) return;
  }
  log.warn("stopped immediately by a second signal", "");
  log.flush();
  std::_Exit(static_cast<int>(ExitStatus::failure));
}

// An address that can be opened, whichever it listens at.
std::string where_it_listens(std::string_view scheme, const std::string& address, int port) {
  const bool is_everywhere = is_every_address(address);
  const std::string host = is_everywhere ? "localhost" : address.contains(':') ? '[' + address + ']' : address;
  return std::string("portail: listening on ").append(scheme) + "://" + host + ':' + std::to_string(port) +
         (is_everywhere ? " (every address)" : "");
}

std::expected<void, Fault> serve(const SettingValues& values) {
  FreedMemory::limit_arenas(std::thread::hardware_concurrency());
  Signals signals;
  const Instant started = SystemClock().now();
  if (const auto url = parse_store_url(values.text("store")); url && !url->scheme->served_by.empty()) {
    return wrong_usage(std::string(values.where("store")) + ": requests are served from " +
                       std::string(url->scheme->form) + " by " + std::string(url->scheme->served_by) +
                       "; here it is for import, export, check, migrate and audit");
  }
  const bool creates = values.is_on("create") || !values.text("import").empty();
  auto setup = set_up(values, creates ? StoreAccess::create : StoreAccess::serve);
  if (!setup) return std::unexpected(setup.error());
  if (const std::string& document = values.text("import"); !document.empty()) {
    const auto imported = import_files(setup->portal, document, {}, {});
    if (!imported) return std::unexpected(imported.error());
  }
  prune_audit(setup->portal, values.number("audit-retention"));
  JsonLog log(setup->plan.log_level);
  SystemClock clock;
  SystemRandom random;
  AccessLog access_log(log, log_key(values, random), !values.is_on("no-access-log"));
  RequestMetrics request_metrics(page_routes);
  const std::size_t workers = number_of_workers(values);
  ServedKeys keys(*setup, log);
  auto token_cache = make_token_cache(static_cast<std::size_t>(values.number("token-cache")), random);
  SharedAnswerMemory answers;
  const auto spans = open_spans(values, setup->plan, log);
  if (!spans) return std::unexpected(spans.error());
  RequestRates rates(values.number("requests-per-address"), values.number("requests-per-subject"), random);
  StreamLimit streams(static_cast<std::size_t>(values.number("max-streams-per-client")));
  CurrentStore store(*setup->portal.store);
  const Service service(setup->plan.settings, keys.source(), store);
  const Page page({.sign_in = setup->plan.sign_in, .personas = setup->personas}, setup->plan.settings);
  const PortalHandler handler(service, values.is_on("no-page") ? nullptr : &page);
  const Host host{.handler = handler,
                  .clock = clock,
                  .random = random,
                  .log = log,
                  .access_log = access_log,
                  .metrics = request_metrics,
                  .token_cache = token_cache ? &*token_cache : nullptr,
                  .answers = &answers,
                  .rates = &rates,
                  .streams = &streams,
                  .spans = spans->get()};
  const ServePlan& plan = setup->plan;
  const std::string_view scheme = setup->tls ? "https" : "http";
  Server server({.address = plan.address,
                 .port = plan.port,
                 .tls = setup->tls,
                 .trusted_proxies = plan.trusted_proxies,
                 .workers = workers,
                 .connections = {.in_all = static_cast<std::size_t>(values.number("max-connections")),
                                 .per_address = static_cast<std::size_t>(values.number("max-connections-per-address"))},
                 .most_unsent = static_cast<std::size_t>(values.number("max-unsent")) << 20,
                 .shutdown_timeout = std::chrono::seconds(values.number("shutdown-timeout")),
                 .queue_timeout = std::chrono::milliseconds(values.number("queue-timeout"))},
                host);
  const auto port = server.listen();
  if (!port) return failure(port.error());
  std::optional<ManagementServer> management;
  if (plan.metrics) {
    management.emplace(MetricSources{.build = build_info(),
                                     .started = started,
                                     .store = *setup->portal.store,
                                     .store_name = without_password(values.text("store")),
                                     .store_pool = pool_of(setup->portal),
                                     .keys = [&keys] { return keys.status(); },
                                     .certificate_end = [&server] { return server.certificate_end(); },
                                     .connections = [&server] { return server.counts(); },
                                     .is_draining = [&server] { return server.is_draining(); },
                                     .token_cache = host.token_cache ? &*token_cache : nullptr,
                                     .requests = request_metrics,
                                     .load = server.load(),
                                     .rates = rates,
                                     .streams = streams,
                                     .spans = span_counts_of(host.spans)},
                       plan.metrics->address, plan.metrics->port, log);
    const auto metrics_port = management->start();
    if (!metrics_port) return failure(metrics_port.error());
    log.write(LogLevel::info, "metrics are served", {{.name = "port", .text = std::to_string(*metrics_port)}});
  }
  keys.start();
  log_remarks(values, *setup, log);
  log.write(LogLevel::info, "workers are ready", {{.name = "workers", .text = std::to_string(workers)}});
  print_line(stdout, where_it_listens(scheme, plan.address, *port));
  std::fflush(stdout);

  std::thread listener([&] {
    while (const auto signal = signals.wait()) {
      if (*signal == Signal::stop)
        return stop(signals, server, log, std::chrono::milliseconds(values.number("drain-delay")));
      reload(values, server, keys, log);
    }
  });
  const auto served = server.serve();
  management.reset();
  if (host.spans) host.spans->stop(longest_last_export);
  log.write(LogLevel::info, "stopped");
  log.close();  // may block while standard error is not read: a second signal still ends the program
  signals.release();
  listener.join();
  if (!served) return failure(served.error());
  return {};
}

}  // namespace

Command serve_command() {
  return {.name = "serve",
          .help = "Serve the portal",
          .settings = all_settings(),
          .examples = {"portail serve --config /etc/portail/portail.toml",
                       "portail serve --store lmdb:data --import portail.json --insecure-http --issuer "
                       "https://login.example --audience portail"},
          .run = serve};
}

}  // namespace portail
