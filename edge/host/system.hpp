// What the core asks of the machine, through wasi-libc: the time and unpredictable bytes.
#pragma once

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail::edge {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace portail::edge
