// Answers GET /metrics and GET /health in clear on an address of its own, apart from the portal's. One thread starts
// and ends it.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <thread>

#include "native/metrics/metric_sources.hpp"

namespace httplib {
class Server;
}

namespace portail {

class MetricsServer {
 public:
  explicit MetricsServer(MetricSources sources);
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  ~MetricsServer();

  // `address` is a literal IP address; port 0 takes a free one. The port, or one line for the operator.
  std::expected<int, std::string> start(const std::string& address, int port);

 private:
  MetricSources sources_;
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
};

}  // namespace portail
