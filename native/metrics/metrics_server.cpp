#include "native/metrics/metrics_server.hpp"

#include <chrono>
#include <utility>

namespace portail {
namespace {

bool is_loopback(const std::string& address) {
  const auto parsed = server::IpAddress::parse(address);
  return parsed && parsed->is_loopback();
}

server::Options metrics_options(std::string address, int port) {
  return {.address = std::move(address),
          .port = port,
          .setting = "--metrics-listen",
          .tls = nullptr,
          // Every address is trusted, so each connection is scheduled by itself, and a probe does not wait for other
          // clients of its address.
          .trusted_proxies = {*server::AddressRange::parse("::/0")},
          .workers = 2,
          .connections = {.max_connections = 256, .max_per_address = 256},
          .eviction_threshold = 64,
          .max_connection_age = std::chrono::seconds(5),
          .shutdown_timeout = std::chrono::seconds(0),
          .queue_timeout = std::chrono::milliseconds(0)};
}

}  // namespace

MetricsServer::MetricsServer(MetricSources sources, std::string address, int port, JsonLog& log)
    : log_(log),
      access_log_(log, {}, false),
      handler_(std::move(sources), is_loopback(address)),
      host_{.handler = handler_,
            .clock = clock_,
            .random = random_,
            .log = log,
            .access_log = access_log_,
            .metrics = requests_},
      server_(metrics_options(std::move(address), port), host_) {}

std::expected<int, std::string> MetricsServer::start() {
  return server_.start([this](const std::string& reason) { log_.warn("metrics are no longer served", reason); });
}

}  // namespace portail
