// What the core asks of the machine, from the machine: the time and unpredictable bytes. Any thread.
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

// libsodium's generator, which is the kernel's; sodium_init() must have been called.
class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace portail
