// How many workers a server has that was not told. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace portail {

// Two for each processor: more only take turns, and what waits behind them is not seen waiting (docs/benchmarks.md). A
// few where there is but one, since a worker also waits for a disk; many where the store is asked over a network.
constexpr std::size_t default_workers(unsigned processors, bool store_over_network) {
  constexpr std::size_t least = 4;
  constexpr std::size_t least_over_network = 32;
  return std::max(std::size_t{2} * processors, store_over_network ? least_over_network : least);
}

}  // namespace portail
