// Serves the operator's routes over plain HTTP on its own address, with the portal's server. One thread starts and ends
// it.
#pragma once

#include <expected>
#include <string>
#include <thread>

#include "native/metrics/metric_sources.hpp"
#include "native/metrics/metrics_handler.hpp"
#include "native/server/server.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/request_metrics.hpp"

namespace portail {

class MetricsServer {
 public:
  // `address` is an IP address; port 0 means a free one. `log` must outlive the server.
  MetricsServer(MetricSources sources, std::string address, int port, JsonLog& log);
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  // Requests in flight are answered; other connections are closed.
  ~MetricsServer();

  // Starts serving; call it once. Returns the port, or an error message.
  std::expected<int, std::string> start();

 private:
  JsonLog& log_;
  SystemClock clock_;
  SystemRandom random_;
  AccessLog access_log_;     // disabled: scrapes are not logged
  RequestMetrics requests_;  // not published: scrapes are not counted
  MetricsHandler handler_;
  server::Host host_;
  server::Server server_;
  std::jthread thread_;
};

}  // namespace portail
