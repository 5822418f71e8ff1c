// What the core asks of the machine, through wasi-libc: the time and unpredictable bytes.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail::edge {

// Asks the host once, and says that again until it is told that time has passed: nothing that happens between two
// events of the host takes long, and each question costs what much of a request's work does.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
  // The host was waited for, or calls again.
  void time_has_passed() { read_ = false; }

 private:
  mutable Instant last_{};
  mutable bool read_ = false;
};

// Asks the host for many bytes at once, and hands out none of them twice.
class SystemRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;

 private:
  std::array<std::byte, 256> drawn_{};  // what getentropy() gives at most
  std::size_t left_ = 0;                // at their end
};

}  // namespace portail::edge
