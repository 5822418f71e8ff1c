// A Context with a clock that the test moves, and counted numbers in the place of random ones. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/context.hpp"

namespace portail {

struct CountingContext {
  struct StoppedClock : Clock {
    [[nodiscard]] Instant now() const override { return instant; }
    Instant instant;
  } clock;
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
  struct NoLog : Log {
    void warn(std::string_view, std::string_view) override {}
    void record(std::string_view) override {}
  } log;
  FrameArena frames;
  Context context{clock, random, log, frames};
};

}  // namespace portail
