// The services of a host by wasi-libc: the core's clock and random source, and its log over the host's own output. One
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

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

// A log of one JSON object a line. Never fails.
class LineLog : public Log {
 public:
  // `clock` outlives the log.
  explicit LineLog(const Clock& clock) : clock_(clock) {}
  void warn(std::string_view event, std::string_view detail) final;
  void record(std::string_view members) final;

 protected:
  // Writes a line, which ends with a line feed, where the host collects the log.
  virtual void write(std::string_view line) = 0;

 private:
  const Clock& clock_;
};

// Both are defined by host/standard_error.cpp, for components, and by fastly/log.cpp.

// Returns the log of an instance. `clock` outlives it.
std::unique_ptr<Log> make_log(const Clock& clock);
// Writes the text to the log, before the instance aborts.
void write_abort_message(std::string_view text);

}  // namespace portail::edge
