// Serves the operator's routes in clear on an address of its own, apart from the portal's, by the same server. One
// thread starts and ends it.
#pragma once

#include <expected>
#include <string>
#include <thread>

#include "native/host/access_log.hpp"
#include "native/host/log.hpp"
#include "native/host/system.hpp"
#include "native/metrics/management_handler.hpp"
#include "native/metrics/metric_sources.hpp"
#include "native/metrics/request_metrics.hpp"
#include "native/server/server.hpp"

namespace portail {

class ManagementServer {
 public:
  // `address` is a literal IP address; port 0 takes a free one. `log` outlives the server.
  ManagementServer(MetricSources sources, std::string address, int port, JsonLog& log);
  ManagementServer(const ManagementServer&) = delete;
  ManagementServer& operator=(const ManagementServer&) = delete;
  // Requests that a worker handles are answered; every other connection is broken off.
  ~ManagementServer();

  // Once. The port, or one line for the operator.
  std::expected<int, std::string> start();

 private:
  JsonLog& log_;
  SystemClock clock_;
  SystemRandom random_;
  AccessLog access_log_;     // of nothing: scrapes are not logged
  RequestMetrics requests_;  // nor counted
  ManagementHandler handler_;
  Host host_;
  Server server_;
  std::jthread thread_;
};

}  // namespace portail
