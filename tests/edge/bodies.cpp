// A component that reads the body of its request, if there is one, and streams 32 MiB.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "edge/http/make_handler.hpp"

namespace portail {
namespace {

class Stream final : public ChunkSource {
 public:
  Task<std::optional<std::string_view>> next(Context&) override {
    if (remaining_-- == 0) co_return std::nullopt;
    co_return chunk_;
  }

 private:
  int remaining_ = 32;
  std::string chunk_ = std::string(std::size_t{1024} * 1024, '.');
};

class Bodies final : public Handler {
 public:
  Task<Response> handle(Context& context, const Request& request) override {
    while (request.body && co_await request.body->next(context)) {
    }
    Response response;
    response.status = 200;
    response.body = std::make_unique<Stream>();
    co_return response;
  }
};

}  // namespace

std::unique_ptr<Handler> edge::make_handler(const Host&) { return std::make_unique<Bodies>(); }

}  // namespace portail
