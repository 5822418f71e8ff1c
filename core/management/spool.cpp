#include "core/management/spool.hpp"

#include <algorithm>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t piece_size = std::size_t{256} * 1024;

}  // namespace

Result<void> MemorySpool::append(std::string_view bytes) {
  if (pieces_.empty() || pieces_.back().size() + bytes.size() > piece_size) {
    pieces_.emplace_back();
    pieces_.back().reserve(std::max(piece_size, bytes.size()));
  }
  pieces_.back() += bytes;
  return {};
}

Result<void> MemorySpool::rewind() {
  next_ = 0;
  return {};
}

Result<std::optional<std::string_view>> MemorySpool::next() {
  if (next_ == pieces_.size()) return std::nullopt;
  return pieces_[next_++];
}

Task<std::optional<std::string_view>> SpoolSource::next(Context&) {
  if (spool_) {
    if (const auto chunk = co_await spool_->next()) co_return chunk;
    spool_.reset();
  }
  if (std::exchange(is_ended_, true) || end_.empty()) co_return std::nullopt;
  co_return end_;
}

}  // namespace portail
