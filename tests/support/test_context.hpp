// A Context with a fixed clock (or another one, which must outlive it), seeded random numbers and a collecting log. One
// request, one thread.
//
//   TestContext test;
//   auto result = run_ready(store.open(test.context));
#pragma once

#include "core/base/context.hpp"
#include "core/base/frame_arena.hpp"
#include "tests/support/collecting_log.hpp"
#include "tests/support/fixed_clock.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {

struct TestContext {
  explicit TestContext(std::uint64_t seed = 1) : random(seed) {}
  TestContext(const Clock& shared, std::uint64_t seed) : random(seed), context{shared, random, log, frames} {}
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;

  FixedClock clock;
  SeededRandom random;
  CollectingLog log;
  FrameArena frames;
  Context context{clock, random, log, frames};
};

}  // namespace portail
