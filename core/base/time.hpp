// Instants and the clock. Core code never asks the machine for the time: it is handed a Clock. Any thread.
#pragma once

#include <cstdint>

namespace portail {

// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
struct Instant {
  std::int64_t microseconds = 0;

  [[nodiscard]] constexpr std::int64_t seconds() const {
    return microseconds >= 0 ? microseconds / 1'000'000 : -((-microseconds + 999'999) / 1'000'000);
  }
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

}  // namespace portail
