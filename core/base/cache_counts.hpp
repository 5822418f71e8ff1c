// What a bounded cache counts, for metrics. A value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portail {

struct CacheCounts {
  std::uint64_t hits = 0;  // since the start, as the other counts
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;  // of the least recently used entries of a full cache
  std::size_t bytes = 0;        // of the entries that are cached now

  bool operator==(const CacheCounts&) const = default;
};

}  // namespace portail
