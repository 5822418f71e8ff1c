// Serves the operator's routes over plain HTTP on its own address, with the portal's server. One thread starts and ends
// it.
#pragma once

#include <expected>
#include <string>

#include "native/metrics/metric_sources.hpp"
#include "native/metrics/metrics_handler.hpp"
#include "native/server/background_server.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/request_metrics.hpp"

namespace portail {

class MetricsServer {
 public:
  // `address` is an IP address; port 0 means a free one. `log` must outlive the server.
  MetricsServer(MetricSources sources, std::string address, int port, JsonLog& log);

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
  server::BackgroundServer server_;  // the destructor answers the requests in flight, and closes other connections
};

}  // namespace portail
