#include "edge/portal/portal.hpp"

#include <cstdint>
#include <utility>

#include "core/guest/portal.hpp"
#include "core/http/problem.hpp"

namespace portail::edge {
namespace {

// Stands in for a portal that cannot be made: a component that trapped would say nothing.
class Unavailable final : public Handler {
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

// Says once that it answers in clear, to its second request: where a host makes an instance for each, it would be a
// line a request.
class InClear final : public Handler {
 public:
  explicit InClear(std::unique_ptr<Handler> portal) : portal_(std::move(portal)) {}

  Task<Response> handle(Context& context, const Request& request) override {
    if (++requests_ == 2) {
      context.log.warn("transport loopback", "requests are answered in clear: this host must listen on loopback only");
    }
    return portal_->handle(context, request);
  }

 private:
  std::unique_ptr<Handler> portal_;
  std::uint64_t requests_ = 0;
};

std::unique_ptr<Handler> unavailable(const Host& host, std::string_view why) {
  host.log.warn("not serving", why);
  return std::make_unique<Unavailable>();
}

}  // namespace

std::unique_ptr<Handler> make_portal(const Host& host, Variables& variables, OpenStore open_store, EmptyStore empty) {
  auto settings = read_settings(variables);
  if (!settings) return unavailable(host, settings.error());
  auto store = open_store(settings->store);
  if (!store) return unavailable(host, store.error());
  const bool in_clear = settings->settings.transport == Transport::loopback;
  auto portal = std::make_unique<Portal>(host.random, std::move(*settings), std::move(*store), empty);
  if (in_clear) return std::make_unique<InClear>(std::move(portal));
  return portal;
}

}  // namespace portail::edge
