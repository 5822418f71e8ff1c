// The core's clock and random source, by wasi-libc.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail::edge {

// A clock that caches the host's time until invalidate_time(). The work between two events of the host takes little
// time, and a call of the host is costly.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
  // Called after each wait, and when the host calls.
  void invalidate_time() { valid_ = false; }

 private:
  mutable Instant cached_{};
  mutable bool valid_ = false;
};

// A random source that reads many bytes from the host by one call. No byte is returned twice.
class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;

 private:
  std::array<std::byte, 256> pool_{};  // getentropy() returns at most 256 bytes
  std::size_t remaining_ = 0;          // unused bytes, at the end of pool_
};

}  // namespace portail::edge
