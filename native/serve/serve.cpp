#include "native/serve/serve.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/api/service.hpp"
#include "core/crypto/random_key.hpp"
#include "core/storage/edition.hpp"
#include "native/audit/audit_prune.hpp"
#include "native/commands/signals.hpp"
#include "native/commands/version.hpp"
#include "native/import/import_run.hpp"
#include "native/management/administration_server.hpp"
#include "native/metrics/metrics_server.hpp"
#include "native/page/page.hpp"
#include "native/serve/reload.hpp"
#include "native/serve/serve_setup.hpp"
#include "native/server/memory_trim.hpp"
#include "native/server/portal_handler.hpp"
#include "native/server/server.hpp"
#include "native/stores/format_revalidating_store.hpp"
#include "native/stores/store_url.hpp"
#include "native/system/shared_caches.hpp"
#include "native/system/temporary_file.hpp"
#include "native/system/terminal.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/request_metrics.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {
namespace {

constexpr std::size_t log_key_bytes = 32;
constexpr std::chrono::seconds span_export_timeout{1};
// After a replacement of its files, the certificate is in force this much later at most.
constexpr std::chrono::seconds certificate_check_interval{5};

std::string log_key(const SettingValues& values, RandomSource& random) {
  if (!values.text("log-key").empty()) return values.text("log-key");
  std::string key(log_key_bytes, '\0');
  random.fill(std::as_writable_bytes(std::span(key)));
  return key;
}

bool refuses_writes(const std::vector<StoreWarning>& warnings) {
  return std::ranges::contains(warnings, StoreWarning::Kind::refuses_writes, &StoreWarning::kind);
}

// Logs settings and states that an operator may want to change.
void log_startup_warnings(const SettingValues& values, const ServeSetup& setup,
                          const std::vector<StoreWarning>& store_warnings, JsonLog& log) {
  if (const std::string& names = values.ignored_variables(); !names.empty()) {
    log.write(LogLevel::info, "variables of an orchestrator are ignored", {{.name = "detail", .text = names}});
  }
  if (values.text("log-key").empty()) {
    log.write(LogLevel::info, "pseudonyms in the log change at each start: set PORTAIL_LOG_KEY");
  }
  if (setup.portal.empty && values.text("import").empty()) {
    log.warn("the store is empty", "fill it with portail import, also while the server runs");
  }
  for (const StoreWarning& warning : store_warnings) {
    if (warning.kind == StoreWarning::Kind::refuses_writes) {
      log.warn("the store refuses writes: requests that write are refused with 503", warning.detail);
    } else {
      log.warn("the store may lose values", warning.detail);
    }
  }
  warn_if_certificate_expires(values, setup.tls.get(), log);
}

void prune_and_log(OpenStore& portal, std::int64_t days_to_keep, JsonLog& log) {
  const auto pruned = prune_expired_audit(portal, days_to_keep);
  if (!pruned) return log.warn("old audit records cannot be removed", pruned.error().message);
  if (pruned->removed > 0) {
    log.write(LogLevel::info, "old audit records were removed",
              {{.name = "records", .text = std::to_string(pruned->removed)}});
  }
  if (pruned->has_kept) log.warn("expired audit records are kept", why_expired_audit_is_kept);
}

ManagementSettings management_settings(const SettingValues& values, const ServePlan& plan) {
  return {.tokens = plan.settings.tokens,
          .transport = plan.settings.transport,
          .administrators = values.list("manage-subject"),
          .max_document_size = static_cast<std::uint64_t>(values.number("manage-max-document")) << 20,
          .audit_retention = values.number("audit-retention"),
          .version = std::string(build_info().version)};
}

std::optional<SharedTokenCache> make_token_cache(std::size_t capacity, RandomSource& random) {
  if (capacity == 0) return std::nullopt;
  return std::optional<SharedTokenCache>(std::in_place, random_key(random), capacity);
}

std::function<PoolCounts()> pool_counts_source(OpenStore& portal) {
  if (!portal.url.scheme->pool) return nullptr;
  return [&portal] { return portal.url.scheme->pool(*portal.store); };
}

// `editions` caches the values of a store that uses editions.
std::function<CacheCounts()> value_cache_source(OpenStore& portal, EditionStore& editions) {
  if (portal.store->traits().uses_editions) return [&editions] { return editions.cache_counts(); };
  if (!portal.url.scheme->cache) return nullptr;
  return [&portal] { return portal.url.scheme->cache(*portal.store); };
}

std::function<SpanCounts()> span_counts_source(const SpanExport* spans) {
  if (!spans) return nullptr;
  return [spans] { return spans->counts(); };
}

// Becomes unready, closes the listener after the drain delay, and ends after the last answer. A second signal ends the
// program immediately, after a flush of the log.
void stop(Signals& signals, server::Server& server, JsonLog& log, std::chrono::milliseconds drain) {
  log.write(LogLevel::info, "stopping");
  server.drain();
  const bool is_second_signal = signals.wait_for_stop(std::chrono::steady_clock::now() + drain);
  if (!is_second_signal) {
    server.stop();
    if (!signals.wait_for_stop()) return;
  }
  log.warn("stopped immediately by a second signal", "");
  log.flush();
  std::_Exit(static_cast<int>(ExitStatus::failure));
}

// The line with a URL that works on this machine, also for a wildcard address.
std::string listening_message(std::string_view scheme, const std::string& address, int port) {
  const bool is_wildcard = is_wildcard_address(address);
  const std::string host = is_wildcard ? "localhost" : address.contains(':') ? '[' + address + ']' : address;
  return std::string("portail: listening on ").append(scheme) + "://" + host + ':' + std::to_string(port) +
         (is_wildcard ? " (every address)" : "");
}

}  // namespace

std::expected<void, Fault> serve_portal(const SettingValues& values, const WrapHandler& wrap) {
  server::MemoryTrim::configure_allocator(std::thread::hardware_concurrency());
  Signals signals;
  const Instant started = SystemClock().now();
  if (const auto url = parse_store_url(values.text("store")); url && !url->scheme->served_by.empty()) {
    return wrong_usage(std::string(values.where("store")) + ": requests are served from " +
                       std::string(url->scheme->form) + " by " + std::string(url->scheme->served_by) +
                       "; this program supports it for import, export, check, migrate and audit");
  }
  const bool may_create = values.is_on("create") || !values.text("import").empty();
  std::string files = identity_of_files(values);
  auto setup = set_up(values, may_create ? StoreAccess::create : StoreAccess::serve);
  if (!setup) return std::unexpected(setup.error());
  if (const std::string& document = values.text("import"); !document.empty()) {
    auto input = ImportFiles::open(document, {}, temporary_folder(setup->portal.url.folder()));
    if (!input) return std::unexpected(input.error());
    const auto imported = import_files(setup->portal, *input, document, {});
    if (!imported) return std::unexpected(imported.error());
  }
  JsonLog log(setup->plan.log_level);
  prune_and_log(setup->portal, values.number("audit-retention"), log);
  SystemClock clock;
  SystemRandom random;
  AccessLog access_log(log, log_key(values, random), !values.is_on("no-access-log"));
  RequestMetrics request_metrics(page_routes);
  const std::size_t workers = worker_count(values);
  ServedKeys keys(*setup, log);
  auto token_cache = make_token_cache(static_cast<std::size_t>(values.number("token-cache")), random);
  SharedAnswerCache answers;
  const auto spans = open_spans(values, setup->plan, log);
  if (!spans) return std::unexpected(spans.error());
  server::RequestRates rates(values.number("requests-per-address"), values.number("requests-per-subject"), random);
  server::StreamLimit streams(static_cast<std::size_t>(values.number("max-streams-per-client")));
  FormatRevalidatingStore checked_store(*setup->portal.store, !setup->portal.empty || !values.text("import").empty());
  EditionStore edition_store(checked_store);
  KeyValueStore& store =
      checked_store.traits().uses_editions ? static_cast<KeyValueStore&>(edition_store) : checked_store;
  const Service service(setup->plan.settings, keys.source(), store);
  const Page page(setup->plan.page, setup->plan.settings);
  const server::PortalHandler portal_handler(service, values.is_on("no-page") ? nullptr : &page);
  std::unique_ptr<server::RequestHandler> wrapper = wrap ? wrap(portal_handler) : nullptr;
  const server::RequestHandler* const handler = wrapper ? wrapper.get() : &portal_handler;
  const server::Host host{.handler = *handler,
                          .clock = clock,
                          .random = random,
                          .log = log,
                          .access_log = access_log,
                          .metrics = request_metrics,
                          .token_cache = token_cache ? &*token_cache : nullptr,
                          .answer_cache = &answers,
                          .rates = &rates,
                          .streams = &streams,
                          .spans = spans->get()};
  const ServePlan& plan = setup->plan;
  const std::string_view scheme = setup->tls ? "https" : "http";
  server::Server server(
      {.address = plan.address,
       .port = plan.port,
       .tls = setup->tls,
       .trusted_proxies = plan.trusted_proxies,
       .workers = workers,
       .connections = {.max_connections = static_cast<std::size_t>(values.number("max-connections")),
                       .max_per_address = static_cast<std::size_t>(values.number("max-connections-per-address"))},
       .max_unsent_bytes = static_cast<std::size_t>(values.number("max-unsent")) << 20,
       .shutdown_timeout = std::chrono::seconds(values.number("shutdown-timeout")),
       .queue_timeout = std::chrono::milliseconds(values.number("queue-timeout"))},
      host);
  const auto port = server.listen();
  if (!port) return failure(port.error());
  std::optional<MetricsServer> metrics;
  if (plan.metrics) {
    metrics.emplace(MetricSources{.build = build_info(),
                                  .started = started,
                                  .store = *setup->portal.store,
                                  .had_portal = [&checked_store] { return checked_store.had_portal(); },
                                  .accepts_writes = [&checked_store] { return checked_store.accepts_writes(); },
                                  .store_name = without_password(values.text("store")),
                                  .store_pool = pool_counts_source(setup->portal),
                                  .keys = [&keys] { return keys.status(); },
                                  .certificates = [&server] { return server.certificates(); },
                                  .connections = [&server] { return server.counts(); },
                                  .is_draining = [&server] { return server.is_draining(); },
                                  .token_cache = host.token_cache ? &*token_cache : nullptr,
                                  .answer_cache = [&answers] { return answers.counts(); },
                                  .value_cache = value_cache_source(setup->portal, edition_store),
                                  .requests = request_metrics,
                                  .load = server.load(),
                                  .rates = rates,
                                  .streams = streams,
                                  .spans = span_counts_source(host.spans)},
                    plan.metrics->address, plan.metrics->port, log);
    const auto metrics_port = metrics->start();
    if (!metrics_port) return failure(metrics_port.error());
    log.write(LogLevel::info, "metrics are served", {{.name = "port", .text = std::to_string(*metrics_port)}});
  }
  std::optional<AdministrationServer> administration;
  if (plan.management) {
    administration.emplace(AdministrationServer::Options{.address = plan.management->address,
                                                         .port = plan.management->port,
                                                         .tls = setup->management_tls,
                                                         .trusted_proxies = plan.trusted_proxies},
                           management_settings(values, plan), host, setup->portal.url, *setup->portal.store,
                           keys.source());
    const auto management_port = administration->start();
    if (!management_port) return failure(management_port.error());
    log.write(LogLevel::info, "the management interface is served",
              {{.name = "port", .text = std::to_string(*management_port)}});
  }
  keys.start();
  const auto store_warnings = find_warnings(setup->portal.url);
  if (refuses_writes(store_warnings)) checked_store.set_accepts_writes(false);
  log_startup_warnings(values, *setup, store_warnings, log);
  if (const auto workers_started = server.start(); !workers_started) return failure(workers_started.error());
  std::thread signal_thread([&] {
    Reloader reloader(values, server, administration ? &*administration : nullptr, keys, log, std::move(files));
    const auto next_check = [&setup] {
      return setup->tls ? std::optional(std::chrono::steady_clock::now() + certificate_check_interval) : std::nullopt;
    };
    while (const auto signal = signals.wait(next_check())) {
      if (*signal == Signal::stop)
        return stop(signals, server, log, std::chrono::milliseconds(values.number("drain-delay")));
      *signal == Signal::reload ? reloader.reload() : reloader.check_certificate();
    }
  });
  log.write(LogLevel::info, "workers are ready", {{.name = "workers", .text = std::to_string(workers)}});
  log.flush();  // the warnings of the start are in the log before a program reads the next line
  print_line(stdout, listening_message(scheme, plan.address, *port));
  std::fflush(stdout);
  const auto served = server.wait();
  administration.reset();
  metrics.reset();
  if (host.spans) host.spans->stop(span_export_timeout);
  wrapper.reset();
  log.write(LogLevel::info, "stopped");
  log.close();  // may block while standard error is not read; a second signal still ends the program
  signals.release();
  signal_thread.join();
  if (!served) return failure(served.error());
  return {};
}

Command serve_command() {
  return {.name = "serve",
          .help = "Serve the portal",
          .settings = all_settings(),
          .examples = {"portail serve --config /etc/portail/portail.toml",
                       "portail serve --store lmdb:data --import portail.json --insecure-http --issuer "
                       "https://login.example --audience portail"},
          .run = [](const SettingValues& values) { return serve_portal(values); }};
}

}  // namespace portail
