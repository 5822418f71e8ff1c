#include "edge/portal/unavailable.hpp"

#include <string>

#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"

namespace portail::edge {
namespace {

class UnavailablePortal final : public Handler {
 public:
  Task<Response> handle(Context&, const Request& request) override {
    Response response = unavailable_problem(preferred_language(request));
    const std::string_view path = raw_path(request.target);
    if (path == "/health/ready" || path == "/health-status") {
      response.headers = {
          {"Content-Type", std::string(json_content_type)}, {"Retry-After", "5"}, {"Cache-Control", "no-store"}};
      response.body = std::string(R"({"status":"Unhealthy","parts":{"host":"Unhealthy"}})");
    }
    co_return response;
  }
};

}  // namespace

std::unique_ptr<Handler> make_unavailable(const Host& host, std::string_view reason) {
  host.log.warn("not serving", reason);
  return std::make_unique<UnavailablePortal>();
}

}  // namespace portail::edge
