#include "edge/http/drained_body.hpp"

namespace portail::edge {
namespace {

constexpr std::size_t max_drained_bytes = 1024 * 1024;

Task<void> read_rest(Context& context, ChunkSource& body) {
  std::size_t drained = 0;
  while (drained < max_drained_bytes) {
    const auto chunk = co_await body.next(context);
    if (!chunk) co_return;
    drained += chunk->size();
  }
}

}  // namespace

Task<void> drain(Context& context, ChunkSource* body) {
  if (body) co_await outcome(read_rest(context, *body));
}

}  // namespace portail::edge
