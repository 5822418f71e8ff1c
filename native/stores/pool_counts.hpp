// Counts of the connections of a store to its server. A value.
#pragma once

#include <cstddef>

namespace portail {

struct PoolCounts {
  std::size_t open = 0;
  std::size_t busy = 0;     // of the open ones: with a call in flight, or leased to a request
  std::size_t max = 0;      // limit of the open ones
  std::size_t waiting = 0;  // calls that wait for a connection

  bool operator==(const PoolCounts&) const = default;
};

}  // namespace portail
