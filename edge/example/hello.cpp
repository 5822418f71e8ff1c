// A complete component that greets, and echoes posted bodies. Linked with portail_edge_http3 it is a component of
// wasi:http 0.3, with portail_edge_http2 one of 0.2.
#include "edge/http/make_handler.hpp"

namespace {

using namespace portail;

class Hello final : public Handler {
 public:
  Task<Response> handle(Context& context, const Request& request) override {
    if (request.target == "/echo" && request.body) co_return co_await echo(context, *request.body);
    if (request.target != "/") co_return answer(404, "There is nothing here\n");
    co_return answer(200, "Hello from C++\n");
  }

 private:
  // Reads the body chunk by chunk. While one request waits for its client, the instance handles others.
  static Task<Response> echo(Context& context, ChunkSource& body) {
    std::string bytes;
    while (const auto chunk = co_await body.next(context)) {
      bytes.append(*chunk);
      if (bytes.size() > 1024 * 1024) co_return answer(413, "At most 1 MiB\n");
    }
    co_return answer(200, std::move(bytes));
  }

  static Response answer(int status, std::string text) {
    Response response;
    response.status = status;
    response.headers.push_back({"Content-Type", "text/plain"});
    response.body = std::move(text);
    return response;
  }
};

}  // namespace

std::unique_ptr<portail::Handler> portail::edge::make_handler(const Host&) { return std::make_unique<Hello>(); }
