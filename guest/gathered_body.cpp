#include "guest/gathered_body.hpp"

#include <memory>
#include <variant>

namespace portail {
namespace {

constexpr std::size_t sent_together = 32 * 1024;

}  // namespace

Task<std::optional<std::string_view>> GatheredBody::next(Context& context) {
  if (ended_) co_return std::nullopt;
  if (const auto* whole = std::get_if<std::string>(&body_)) {
    ended_ = true;
    if (whole->empty()) co_return std::nullopt;
    co_return std::string_view(*whole);
  }
  gathered_.clear();
  ChunkSource& source = *std::get<std::unique_ptr<ChunkSource>>(body_);
  while (gathered_.size() < sent_together) {
    const auto chunk = co_await source.next(context);
    ended_ = !chunk;
    if (ended_) break;
    gathered_.append(*chunk);
  }
  if (gathered_.empty()) co_return std::nullopt;
  co_return std::string_view(gathered_);
}

}  // namespace portail
