// A key source of a portal in a WebAssembly host, which has no thread of its own: it works when requests come. One
// thread; other requests run while one waits.
#pragma once

#include <cstdint>
#include <optional>

#include "core/auth/key_source.hpp"

namespace portail {

// Returns whether fewer than `seconds` have passed since the last read. If the clock was set back, it does not count.
[[nodiscard]] constexpr bool was_read_within(std::optional<Instant> read_at, std::int64_t seconds, Instant now) {
  if (!read_at) return false;
  const std::int64_t age = now.microseconds - read_at->microseconds;
  return age >= 0 && age < seconds * 1'000'000;
}

class GuestKeys : public KeySource {
 public:
  // Must be called before each request. `has_token`: the request needs keys.
  virtual Task<void> prepare(Context& context, bool has_token) = 0;
  // Must be called after each answer was sent. Work that no answer needed is done now.
  virtual void after_answer(Context& context) = 0;
};

}  // namespace portail
