// When a key set is fetched and when its keys expire, by what is known of its fetches. Pure functions over the instants
// of one clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/base/time.hpp"

namespace portail {

struct RefreshIntervals {
  using Duration = std::chrono::milliseconds;
  Duration interval = std::chrono::seconds(300);  // between successful fetches
  // Minimum time between other fetches: for an unknown key, or after a failure.
  Duration min_interval = std::chrono::seconds(30);
  Duration initial_backoff = std::chrono::seconds(1);  // without keys; doubled after each failure, up to min_interval
  Duration max_age = std::chrono::hours(24);           // of keys since the last successful fetch; then they expire
  Duration max_wait = std::chrono::seconds(2);         // of a request, from the beginning of the fetch it waits for
};

struct KeyFetches {
  Instant attempted_at{};                  // begin of the last fetch
  std::optional<Instant> fetched_at = {};  // end of the last successful one; absent without keys
  std::uint32_t failures = 0;              // since the last success
  bool is_fetching = false;                // the last fetch has not ended
};

[[nodiscard]] constexpr Instant after(Instant from, std::chrono::microseconds time) {
  return {from.microseconds + time.count()};
}

// Returns when the next fetch is due after the last one has ended: by the interval; after failures at doubled intervals
// from `failed_at`; if there was no fetch, immediately.
[[nodiscard]] Instant due_at(const KeyFetches& fetches, const RefreshIntervals& times, Instant failed_at);
// The same for a token with an unknown key, and while there are no keys. `due` is when the next fetch is due otherwise.
[[nodiscard]] Instant due_for_unknown_key(const KeyFetches& fetches, const RefreshIntervals& times, Instant due);
// Returns when the keys expire; without keys an instant in the past.
[[nodiscard]] Instant expires_at(const KeyFetches& fetches, const RefreshIntervals& times);

}  // namespace portail
