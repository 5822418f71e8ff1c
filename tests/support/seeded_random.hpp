// A random generator that returns the same numbers for the same seed on every machine and with every library, and the
// seed of a run. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/base/context.hpp"

namespace portail {

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::uint64_t seed = 1) : state_(seed) {}

  // splitmix64
  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  // Returns 0 to `bound` - 1; `bound` must be at least 1. Nearly uniform, which is enough for tests.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  bool one_in(std::size_t bound) { return below(bound) == 0; }
  template <class Range>
  auto& pick(Range& range) {
    return range[below(std::size(range))];
  }

  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(next() & 0xff);
  }

 private:
  std::uint64_t state_;
};

// Returns the number in TEST_SEED, or 1 if it is unset. Host programs only, since it reads the environment. Tests that
// draw inputs at random derive their seeds from it: the same in every run, except where `.ci/run --full` sets a new
// one.
inline std::uint64_t seed_of_run() {
  const char* text = std::getenv("TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace portail
