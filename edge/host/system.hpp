// The services of a component's host: the core's clock and random source by wasi-libc, and its log. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "bindings/standard-error/standard_error.h"
#include "core/base/context.hpp"
#include "core/base/time.hpp"
#include "edge/host/owned.hpp"

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

// Standard error by an import of its own: write() of wasi-libc would add an import of file systems.
class StandardError {
 public:
  // Writes all of `text`, blocking. Errors are ignored: there is no other output to report them on.
  void write(std::string_view text);

 private:
  // Opened by the first write.
  Owned<error_stream_own_output_stream_t, error_stream_output_stream_drop_own> stream_;
};

// A component's log: one JSON object a line on standard error, which hosts collect. Never fails.
class StandardErrorLog final : public Log {
 public:
  // `clock` outlives the log.
  explicit StandardErrorLog(const Clock& clock) : clock_(clock) {}
  void warn(std::string_view event, std::string_view detail) override;
  void record(std::string_view members) override;

 private:
  const Clock& clock_;
  StandardError standard_error_;
};

}  // namespace portail::edge
