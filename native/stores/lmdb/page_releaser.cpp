#include "native/stores/lmdb/page_releaser.hpp"

#include <algorithm>

#include <sys/mman.h>

namespace portail::lmdb {
namespace {

constexpr std::uintptr_t min_page_size_of_memory = 4096;
constexpr std::size_t max_unreleased_bytes = std::size_t{32} << 20;

}  // namespace

void PageReleaser::add(std::string_view value) {
  const auto address = reinterpret_cast<std::uintptr_t>(value.data());
  const std::lock_guard lock(mutex_);
  begin_ = std::min(begin_, address / min_page_size_of_memory * min_page_size_of_memory);
  end_ = std::max(end_, address + value.size());
  bytes_ += value.size();
  if (bytes_ < max_unreleased_bytes) return;
  // The bytes stay in the file and in the kernel's cache, and are mapped again when they are read.
  madvise(reinterpret_cast<void*>(begin_), end_ - begin_, MADV_DONTNEED);
  begin_ = std::numeric_limits<std::uintptr_t>::max();
  end_ = 0;
  bytes_ = 0;
}

}  // namespace portail::lmdb
