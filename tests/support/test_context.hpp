// The contexts of tests, and their clocks and logs. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/frame_arena.hpp"
#include "core/base/time.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {

// A clock that changes only when a test sets it.
class FixedClock final : public Clock {
 public:
  // 2026-01-15T12:00:00Z.
  static constexpr Instant default_time{1'768'478'400'000'000};

  explicit FixedClock(Instant instant = default_time) : instant_(instant) {}
  [[nodiscard]] Instant now() const override { return instant_; }
  void set(Instant instant) { instant_ = instant; }
  void advance_seconds(std::int64_t seconds) { instant_.microseconds += seconds * 1'000'000; }

 private:
  Instant instant_;
};

// A log that collects its lines.
class CollectingLog final : public Log {
 public:
  // "event: detail" of warnings
  std::vector<std::string> lines;
  // The members of records.
  std::vector<std::string> records;

  void warn(std::string_view event, std::string_view detail) override {
    lines.push_back(std::string(event) + ": " + std::string(detail));
  }
  void record(std::string_view members) override { records.emplace_back(members); }
};

// A Context with a fixed clock (or another one, which must outlive it), seeded random numbers and a collecting log. One
// request, one thread.
//
//   TestContext test;
//   auto result = run_ready(store.open(test.context));
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

// A Context with a clock that the test moves, and counted numbers in the place of random ones. One thread.
struct CountingContext {
  FixedClock clock{Instant{}};
  // Increasing numbers.
  struct Counting : RandomSource {
    void fill(std::span<std::byte> bytes) override {
      ++count;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t shift = 8 * (bytes.size() - 1 - i);
        bytes[i] = static_cast<std::byte>(shift < 64 ? count >> shift : 0);
      }
    }
    std::uint64_t count = 0;
  } random;
  CollectingLog log;
  FrameArena frames;
  Context context{clock, random, log, frames};
};

}  // namespace portail
