// A key source of a portal in a WebAssembly host, which has no thread of its own: it works when requests come. One
// thread; other requests run while one waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/auth/key_schedule.hpp"
#include "core/auth/key_source.hpp"

namespace portail {

// The maximum interval of reads of the store. Without keys, and for tokens with unknown keys, the minimum one.
inline constexpr std::chrono::milliseconds max_read_interval = std::chrono::seconds(30);
inline constexpr std::chrono::milliseconds min_read_interval = std::chrono::seconds(1);

// Returns whether less than the interval has passed since the last read. If the clock was set back, it does not count.
[[nodiscard]] constexpr bool was_read_within(std::optional<Instant> read_at, std::chrono::milliseconds interval,
                                             Instant now) {
  return read_at && now >= *read_at && now < after(*read_at, interval);
}

class GuestKeys : public KeySource {
 public:
  // Must be called before each request. `has_token`: the request needs keys.
  virtual Task<void> prepare(Context& context, bool has_token) = 0;
  // Must be called after each answer was sent. Work that no answer needed is done now.
  virtual void after_answer(Context& context) = 0;
};

// The key set in use, and the log of its diagnostics. One thread.

class InstalledKeys {
 public:
  // Must be called before each request.
  void count_request() {
    if (requests_ < 2) ++requests_;
  }

  [[nodiscard]] const SharedKeySet& current() const { return keys_; }
  // Logs the diagnostics of the set, but not during the first request: a host that creates an instance for each request
  // would log them for each.
  void install(Context& context, const LoadedKeySet& loaded);
  [[nodiscard]] bool has_unlogged_diagnostics() const { return has_unlogged_diagnostics_; }
  // Logs them. `loaded` is the set in use.
  void log_diagnostics(Context& context, const LoadedKeySet& loaded);
  void drop_diagnostics() { has_unlogged_diagnostics_ = false; }
  void reset() { keys_.reset(); }

 private:
  SharedKeySet keys_;
  std::uint8_t requests_ = 0;              // so far, at most 2
  bool has_unlogged_diagnostics_ = false;  // of keys_
};

}  // namespace portail
