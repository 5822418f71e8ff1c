#include "edge/http/drained_body.hpp"

namespace portail::edge {
namespace {

constexpr std::size_t most_drained = 1024 * 1024;

Task<void> read_on(Context& context, ChunkSource& body) {
  std::size_t drained = 0;
  while (drained < most_drained) {
    const auto chunk = co_await body.next(context);
    if (!chunk) co_return;
    drained += chunk->size();
  }
}

}  // namespace

Task<void> drain(Context& context, ChunkSource* body) {
  if (body) co_await outcome(read_on(context, *body));
}

}  // namespace portail::edge
