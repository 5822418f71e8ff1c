// Answers GET /NAME with a greeting. The adapter calls make_handler once, and the handler for each request.
#include "edge/http/make_handler.hpp"

namespace {

using portail::Context;
using portail::Request;
using portail::Response;
using portail::Task;

class Greeting final : public portail::Handler {
 public:
  Task<Response> handle(Context&, const Request& request) override {
    Response response;
    response.headers.push_back({"Content-Type", "text/plain"});
    if (request.method != "GET") {
      response.status = 405;
      response.headers.push_back({"Allow", "GET"});
      co_return response;
    }
    response.status = 200;
    response.body = "Hello " + std::string(request.target.substr(1)) + "\n";
    co_return response;
  }
};

}  // namespace

std::unique_ptr<portail::Handler> portail::edge::make_handler(const Host&) { return std::make_unique<Greeting>(); }
