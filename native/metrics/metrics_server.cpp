#include "native/metrics/metrics_server.hpp"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <httplib.h>

#include "native/metrics/health.hpp"
#include "native/metrics/metrics.hpp"

namespace portail {

MetricsServer::MetricsServer(MetricSources sources)
    : sources_(std::move(sources)), server_(std::make_unique<httplib::Server>()) {
  server_->new_task_queue = [] { return new httplib::ThreadPool(2); };
  server_->set_payload_max_length(1);
  server_->set_keep_alive_max_count(1);  // a slow reader may not keep a thread
  server_->set_read_timeout(std::chrono::seconds(2));
  server_->set_write_timeout(std::chrono::seconds(2));
  server_->Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics_text(sources_), "text/plain; version=0.0.4; charset=utf-8");
  });
  server_->Get("/health", [this](const httplib::Request&, httplib::Response& response) {
    const std::vector<HealthPart> parts = health_of(sources_);
    response.status = health_in_all(parts) == Health::unhealthy ? 503 : 200;
    response.set_header("Cache-Control", "no-store");
    response.set_content(health_text(parts), "application/json; charset=utf-8");
  });
}

MetricsServer::~MetricsServer() {
  if (!thread_.joinable()) return;
  server_->wait_until_ready();
  server_->stop();
  thread_.join();
}

std::expected<int, std::string> MetricsServer::start(const std::string& address, int port) {
  const int bound = port == 0 ? server_->bind_to_any_port(address) : server_->bind_to_port(address, port) ? port : -1;
  if (bound < 0) {
    return std::unexpected("cannot listen on " + address + " port " + std::to_string(port) +
                           " for --metrics-listen: " + std::strerror(errno));
  }
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  return bound;
}

}  // namespace portail
