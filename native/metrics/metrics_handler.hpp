// Answers GET /metrics and GET /health. Any thread.
#pragma once

#include <optional>
#include <utility>

#include "native/metrics/metric_sources.hpp"
#include "native/server/request_handler.hpp"

namespace portail {

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

}  // namespace portail
