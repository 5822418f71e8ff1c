// Connection counters of a server. Values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portail::server {

struct ConnectionCounts {
  std::size_t open = 0;
  std::size_t max = 0;           // limit of `open`
  std::uint64_t accepted = 0;    // since startup
  std::uint64_t rejected = 0;    // since startup: over a connection limit
  std::size_t unsent_bytes = 0;  // approximate memory of answers that clients have not received yet
};

}  // namespace portail::server
