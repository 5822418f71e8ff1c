#include "core/http/read_body.hpp"

namespace portail {

Task<std::optional<std::string>> read_body(Context& context, const Request& request, std::size_t max_size) {
  std::string body;
  if (!request.body) co_return body;
  while (const auto chunk = co_await request.body->next(context)) {
    if (body.size() + chunk->size() > max_size) co_return std::nullopt;
    body += *chunk;
  }
  co_return body;
}

}  // namespace portail
