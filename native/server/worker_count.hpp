// The default number of workers. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace portail::server {

// Two workers for each processor: more would only alternate, and hide queueing. At least four, because a worker also
// waits for the disk.
constexpr std::size_t default_workers(unsigned processors) {
  constexpr std::size_t min_workers = 4;
  return std::max(std::size_t{2} * processors, min_workers);
}

}  // namespace portail::server
