#include "native/management/administration_server.hpp"

#include <chrono>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t workers = 4;  // an import occupies one

server::Options server_options(AdministrationServer::Options options) {
  return {.address = std::move(options.address),
          .port = options.port,
          .setting = "--manage-listen",
          .tls = std::move(options.tls),
          .trusted_proxies = std::move(options.trusted_proxies),
          .workers = workers,
          .connections = {.max_connections = 64, .max_per_address = 32},
          .shutdown_timeout = std::chrono::seconds(1),
          .queue_timeout = std::chrono::milliseconds(0)};
}

server::Host host_with(const server::Host& host, const server::RequestHandler& handler, RequestMetrics& metrics) {
  return {.handler = handler,
          .clock = host.clock,
          .random = host.random,
          .log = host.log,
          .access_log = host.access_log,
          .metrics = metrics,
          .token_cache = host.token_cache,
          .rates = host.rates,
          .body_bytes_per_timeout = std::uint64_t{64} * 1024};
}

}  // namespace

AdministrationServer::AdministrationServer(Options options, ManagementSettings settings, const server::Host& host,
                                           const StoreUrl& url, KeyValueStore& store, KeySource& keys)
    : store_(url, store, host.log),
      management_(settings, store_, keys, store),
      handler_(management_),
      host_(host_with(host, handler_, requests_)),
      server_(server_options(std::move(options)), host_) {}

std::expected<int, std::string> AdministrationServer::start() {
  return server_.start(
      [this](const std::string& reason) { host_.log.warn("the management interface is no longer served", reason); });
}

}  // namespace portail
