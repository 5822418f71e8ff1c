// A key source of a portal in a WebAssembly host, which has no thread of its own: it works when requests come. One
// thread; other requests run while one waits.
#pragma once

#include <chrono>
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

}  // namespace portail
