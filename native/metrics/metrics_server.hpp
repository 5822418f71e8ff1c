// GET /metrics and GET /health, on a listener of their own.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "native/metrics/metric_sources.hpp"
#include "native/server/portal_handler.hpp"
#include "native/server/server.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/request_metrics.hpp"

namespace portail {

// Answers GET /metrics and GET /health. Any thread.

class MetricsHandler final : public server::RequestHandler {
 public:
  // `on_loopback`: the server listens on a loopback address. Then the Host of a request must be this machine, as a
  // protection against DNS rebinding.
  MetricsHandler(MetricSources sources, bool on_loopback) : sources_(std::move(sources)), on_loopback_(on_loopback) {}

  // Closes the connection after each answer.
  Task<Response> handle(Context& context, const Request& request) const override;
  std::optional<Response> shed(Context&, const Request&) const override { return std::nullopt; }

 private:
  Task<Response> answer(Context& context, const Request& request) const;

  const MetricSources sources_;
  const bool on_loopback_;
};

// Serves the operator's routes over plain HTTP on its own address, with the portal's server. One thread starts and ends
// it.

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
