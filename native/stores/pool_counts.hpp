// The connections that a store has to its server. A value.
#pragma once

#include <cstddef>

namespace portail {

struct PoolCounts {
  std::size_t open = 0;
  std::size_t busy = 0;     // of these: in use, or lent to a request
  std::size_t max = 0;      // that may be open
  std::size_t waiting = 0;  // requests, for one of them

  bool operator==(const PoolCounts&) const = default;
};

}  // namespace portail
