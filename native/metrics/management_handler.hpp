// Answers GET /metrics and GET /health for the operator. Any thread.
#pragma once

#include <optional>
#include <utility>

#include "native/metrics/metric_sources.hpp"
#include "native/server/request_handler.hpp"

namespace portail {

class ManagementHandler final : public RequestHandler {
 public:
  // `on_loopback`: the server listens on a loopback address. Then a request must name this machine as its Host: a page
  // whose name another server points here (DNS rebinding) reads nothing.
  ManagementHandler(MetricSources sources, bool on_loopback)
      : sources_(std::move(sources)), on_loopback_(on_loopback) {}

  // The connection ends after each answer.
  Task<Response> handle(Context& context, const Request& request) const override;
  std::optional<Response> shed(Context&, const Request&) const override { return std::nullopt; }

 private:
  Task<Response> answer(Context& context, const Request& request) const;

  const MetricSources sources_;
  const bool on_loopback_;
};

}  // namespace portail
