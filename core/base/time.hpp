// Instants and the clock interface. The core reads the time from the Clock of its Context only. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace portail {

// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
struct Instant {
  std::int64_t microseconds = 0;

  [[nodiscard]] constexpr std::int64_t seconds() const {
    return microseconds >= 0 ? microseconds / 1'000'000 : -((-microseconds + 999'999) / 1'000'000);
  }
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

constexpr Instant days_before(Instant now, std::int64_t days) {
  constexpr std::int64_t microseconds_a_day = 86'400'000'000;
  return {now.microseconds - days * microseconds_a_day};
}

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

// Formats instants for people and logs. Pure functions; any thread.

// RFC 3339 in UTC, always with six decimals of the second: 2024-01-15T09:30:00.123456Z. Years 0000 to 9999.
[[nodiscard]] std::string utc_text(Instant instant);
void append_utc_text(std::string& out, Instant instant);
// The same without the fraction: 2024-01-15T09:30:00Z.
[[nodiscard]] std::string utc_text_to_the_second(Instant instant);

}  // namespace portail
