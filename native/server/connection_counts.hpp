// How many connections a server has, and had. A value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portail {

struct ConnectionCounts {
  std::size_t open = 0;
  std::size_t max = 0;            // that may be open
  std::uint64_t accepted = 0;     // since the server began
  std::uint64_t turned_away = 0;  // since then: one too many, in all or from their address
  std::size_t unsent_bytes = 0;   // of memory of answers that wait for their clients, about
};

}  // namespace portail
