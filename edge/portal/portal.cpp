#include "edge/portal/portal.hpp"

#include <cstdint>
#include <utility>

#include "core/guest/portal.hpp"
#include "core/http/problem.hpp"
#include "edge/http/client.hpp"

namespace portail::edge {
namespace {

// Answers all requests with 503, for a portal that cannot be created: a trap would not report the reason.
class UnavailablePortal final : public Handler {
 public:
  Task<Response> handle(Context&, const Request& request) override {
    Response response = unavailable_problem(preferred_language(request));
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    if (path == "/health/ready" || path == "/health-status") {
      response.headers = {
          {"Content-Type", "application/json; charset=utf-8"}, {"Retry-After", "5"}, {"Cache-Control", "no-store"}};
      response.body = std::string(R"({"status":"Unhealthy","parts":{"host":"Unhealthy"}})");
    }
    co_return response;
  }
};

// Logs once, at the second request, that requests are answered without TLS. A host that creates an instance for each
// request would otherwise log a line for each.
class PlainHttpWarning final : public Handler {
 public:
  explicit PlainHttpWarning(std::unique_ptr<Handler> portal) : portal_(std::move(portal)) {}

  Task<Response> handle(Context& context, const Request& request) override {
    if (++requests_ == 2) {
      context.log.warn("transport loopback",
                       "requests are answered without TLS: this host must listen on loopback only");
    }
    return portal_->handle(context, request);
  }
  void after_answer(Context& context) override { portal_->after_answer(context); }

 private:
  std::unique_ptr<Handler> portal_;
  std::uint64_t requests_ = 0;
};

std::unique_ptr<Handler> make_unavailable(const Host& host, std::string_view reason) {
  host.log.warn("not serving", reason);
  return std::make_unique<UnavailablePortal>();
}

}  // namespace

std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store,
                                     EmptyStorePolicy empty, KeyRefresh refresh) {
  auto settings = read_settings(variables);
  if (!settings) return make_unavailable(host, settings.error());
  if (settings->fetch) settings->fetch->precedes_answer = refresh == KeyRefresh::before_answer;
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  const bool is_plain_http = settings->settings.transport == Transport::loopback;
  auto portal = std::make_unique<Portal>(host.random, std::move(*settings), std::move(*store), http_client(), empty);
  if (is_plain_http) return std::make_unique<PlainHttpWarning>(std::move(portal));
  return portal;
}

}  // namespace portail::edge
