#include "core/management/spool.hpp"

#include <algorithm>

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

Task<std::optional<std::string_view>> SpoolSource::next(Context&) { co_return co_await spool_->next(); }

}  // namespace portail
