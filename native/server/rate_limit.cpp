#include "native/server/rate_limit.hpp"

#include <algorithm>
#include <cstring>

namespace portail {
namespace {

// Rounded up: never more than the rate.
RateLimit::Duration interval_of(std::int64_t per_second) {
  return RateLimit::Duration((std::nano::den + per_second - 1) / per_second);
}

}  // namespace

RateLimit::RateLimit(std::int64_t per_second, const Hash32& key, std::size_t sets)
    : quota_(per_second * window.count()), interval_(interval_of(per_second)), key_(key), sets_(sets) {}

RateLimit::Set& RateLimit::set_of(const Hash32& asker) {
  std::uint32_t number = 0;
  std::memcpy(&number, asker.data(), sizeof number);
  return sets_[number % sets_.size()];
}

RateLimit::Duration RateLimit::take(const Hash32& asker, Time now) {
  Set& set = set_of(asker);
  const std::lock_guard lock(set.mutex);
  auto place = std::ranges::find(set.places, asker, &Place::asker);
  if (place == set.places.end()) {
    place = std::ranges::min_element(set.places, {}, &Place::whole_at);
    *place = {.asker = asker, .whole_at = now};
  }
  const Time whole_at = std::max(place->whole_at, now);
  const Duration wait = whole_at - now - interval_ * (quota_ - 1);
  if (wait > Duration::zero()) {
    ++refused_;
    return wait;
  }
  place->whole_at = whole_at + interval_;
  return Duration::zero();
}

}  // namespace portail
