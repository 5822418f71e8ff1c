#include "native/server/rate_limit.hpp"

#include <algorithm>
#include <cstring>

namespace portail::server {
namespace {

// Rounded up, so that the rate is never exceeded.
RateLimit::Duration interval_of(std::int64_t per_second) {
  return RateLimit::Duration((std::nano::den + per_second - 1) / per_second);
}

}  // namespace

RateLimit::RateLimit(std::int64_t per_second, const Hash32& key, std::size_t sets)
    : quota_(per_second * window.count()), interval_(interval_of(per_second)), key_(key), sets_(sets) {}

RateLimit::Set& RateLimit::set_of(const Hash32& requester) {
  std::uint32_t number = 0;
  std::memcpy(&number, requester.data(), sizeof number);
  return sets_[number % sets_.size()];
}

RateLimit::Duration RateLimit::acquire(const Hash32& requester, Time now) {
  Set& set = set_of(requester);
  const std::lock_guard lock(set.mutex);
  auto slot = std::ranges::find(set.slots, requester, &Slot::requester);
  if (slot == set.slots.end()) {
    slot = std::ranges::min_element(set.slots, {}, &Slot::full_at);
    *slot = {.requester = requester, .full_at = now};
  }
  const Time full_at = std::max(slot->full_at, now);
  const Duration retry_after = full_at - now - interval_ * (quota_ - 1);
  if (retry_after > Duration::zero()) {
    ++refused_;
    return retry_after;
  }
  slot->full_at = full_at + interval_;
  return Duration::zero();
}

}  // namespace portail::server
