#include "core/auth/key_schedule.hpp"

#include <algorithm>

namespace portail {

Instant due_at(const KeyFetches& fetches, const RefreshIntervals& times, Instant failed_at) {
  constexpr std::uint32_t max_doublings = 20;
  const bool has_keys = fetches.fetched_at.has_value();
  if (fetches.failures == 0) return has_keys ? after(*fetches.fetched_at, times.interval) : Instant{};
  const auto initial = has_keys ? times.min_interval : times.initial_backoff;
  const auto max = std::max(times.min_interval, has_keys ? times.interval : times.initial_backoff);
  const auto doubled = initial * (std::int64_t{1} << std::min(fetches.failures - 1, max_doublings));
  return after(failed_at, std::min<RefreshIntervals::Duration>(doubled, max));
}

Instant due_for_unknown_key(const KeyFetches& fetches, const RefreshIntervals& times, Instant due) {
  return std::min(due, after(fetches.attempted_at, times.min_interval));
}

Instant expires_at(const KeyFetches& fetches, const RefreshIntervals& times) {
  return fetches.fetched_at ? after(*fetches.fetched_at, times.max_age) : Instant{};
}

}  // namespace portail
