#include "edge/portal/portal.hpp"

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
  if (settings->settings.transport == Transport::loopback) {
    host.log.warn("transport loopback", "requests are answered in clear: this host must listen on loopback only");
  }
  return std::make_unique<Portal>(host.random, std::move(*settings), std::move(*store), empty);
}

}  // namespace portail::edge
