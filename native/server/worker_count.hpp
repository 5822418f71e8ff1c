// How many workers a server has that was not told. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace portail {

// Two for each processor: more only take turns, and what waits behind them is not seen waiting
// (docs/notes/benchmarks.md). A few where there is but one, since a worker also waits for a disk.
constexpr std::size_t default_workers(unsigned processors) {
  constexpr std::size_t least = 4;
  return std::max(std::size_t{2} * processors, least);
}

}  // namespace portail
