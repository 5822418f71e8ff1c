// The clock of the simulation: it advances with the steps of the scheduler. One thread.
#pragma once

#include <cstdint>

#include "tests/simulation/history.hpp"
#include "tests/support/test_context.hpp"

namespace portail::simulation {

inline constexpr Moment steps_per_second = 4;

class StepClock final : public Clock {
 public:
  Moment step = 0;

  [[nodiscard]] Instant now() const override {
    return {FixedClock::default_time.microseconds + static_cast<std::int64_t>(step * 1'000'000 / steps_per_second)};
  }
};

// Returns the step that begins at `instant`.
inline Moment step_of(Instant instant) {
  const std::int64_t elapsed = instant.microseconds - FixedClock::default_time.microseconds;
  return static_cast<Moment>(elapsed) * steps_per_second / 1'000'000;
}

}  // namespace portail::simulation
