#include "edge/portal/unavailable.hpp"

#include "core/http/problem.hpp"

namespace portail::edge {
namespace {

class Unavailable final : public Handler {
 public:
  Task<Response> handle(Context&, const Request& request) override {
    Response response = unavailable_problem(preferred_language(request));
    if (request.target == "/health/ready") {
      response.headers = {
          {"Content-Type", "application/json; charset=utf-8"}, {"Retry-After", "5"}, {"Cache-Control", "no-store"}};
      response.body = std::string(R"({"status":"Unhealthy","parts":{"host":"Unhealthy"}})");
    }
    co_return response;
  }
};

}  // namespace

std::unique_ptr<Handler> make_unavailable(const Host& host, std::string_view why) {
  host.log.warn("not serving", why);
  return std::make_unique<Unavailable>();
}

}  // namespace portail::edge
