// A clock that changes only when a test sets it. One thread.
#pragma once

#include "core/base/time.hpp"

namespace portail {

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

}  // namespace portail
