#include "native/metrics/metrics_server.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"
#include "core/http/target.hpp"
#include "native/metrics/health.hpp"
#include "native/metrics/metrics.hpp"
#include "native/server/address_range.hpp"

namespace portail {
namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

Response text_response(int status, std::string_view content_type, std::string text) {
  Response response;
  response.status = status;
  response.headers.push_back({"Content-Type", std::string(content_type)});
  response.body = std::move(text);
  return response;
}

// Whether `host` is `localhost`, an address of 127.0.0.0/8 or [::1], with any port or none.
bool names_loopback(std::string_view host) {
  const bool in_brackets = host.starts_with('[');
  const std::size_t colon = host.find(':', in_brackets ? host.find(']') : 0);
  std::string_view name = host.substr(0, colon);
  if (colon != std::string_view::npos && !std::ranges::all_of(host.substr(colon + 1), is_ascii_digit)) return false;
  if (equals_ignoring_case(name, "localhost")) return true;
  if (in_brackets != name.contains(':') || in_brackets != name.ends_with(']')) return false;
  if (in_brackets) name = name.substr(1, name.size() - 2);
  const auto address = server::IpAddress::parse(std::string(name));
  return address && address->is_loopback();
}

}  // namespace

Task<Response> MetricsHandler::handle(Context& context, const Request& request) const {
  Response response = co_await answer(context, request);
  response.headers.push_back({"Cache-Control", "no-store"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.close = true;
  co_return response;
}

Task<Response> MetricsHandler::answer(Context& context, const Request& request) const {
  if (asks_server_options(request)) co_return server_options("GET, HEAD, OPTIONS");
  const auto target = Target::parse(request.target);
  if (!target)
    co_return text_response(400, plain_text, "The target of the request is malformed: ask for /health or /metrics.\n");
  if (on_loopback_ && !names_loopback(find_header(request, "Host").value_or(""))) {
    co_return text_response(421, plain_text,
                            "Host: must be localhost, 127.0.0.1 or [::1], with any port; ask by one of these names.\n");
  }
  const bool is_health = std::ranges::equal(target->segments(), std::array{std::string_view("health")});
  if (!is_health && !std::ranges::equal(target->segments(), std::array{std::string_view("metrics")})) {
    co_return text_response(404, plain_text, "Unknown path: ask for /health or /metrics.\n");
  }
  // Load balancers probe with OPTIONS by default (HAProxy).
  const bool is_probe = is_health && request.method == "OPTIONS";
  if (request.method != "GET" && request.method != "HEAD" && !is_probe) {
    Response response = text_response(405, plain_text, "The method must be GET or HEAD.\n");
    response.headers.push_back({"Allow", is_health ? "GET, HEAD, OPTIONS" : "GET, HEAD"});
    co_return response;
  }
  if (is_health) {
    const std::vector<HealthPart> parts = co_await check_health(context, sources_);
    co_return text_response(overall_health(parts) == Health::unhealthy ? 503 : 200, "application/json; charset=utf-8",
                            health_json(parts));
  }
  co_return text_response(200, "text/plain; version=0.0.4; charset=utf-8", co_await render_metrics(context, sources_));
}

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
