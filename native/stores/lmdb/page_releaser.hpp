// Releases the pages of a mapped file that a scan of the whole file has read, at intervals, so that they do not add up
// in the resident memory of the process. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>

namespace portail::lmdb {

class PageReleaser {
 public:
  // Notes a value that was read. It must be in a read-only shared map, the same one for all calls. Its bytes stay
  // valid.
  void add(std::string_view value);

 private:
  std::mutex mutex_;
  std::uintptr_t begin_ = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace portail::lmdb
