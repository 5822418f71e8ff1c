// The system clock and the system's random bytes, for the core. Any thread.
#pragma once

#include <chrono>

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
    return {duration_cast<microseconds>(system_clock::now().time_since_epoch()).count()};
  }
};

// libsodium's generator, which is the kernel's; requires sodium_init().
class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace portail
