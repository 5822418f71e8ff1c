#include "native/server/request_rates.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/cache_key.hpp"
#include "core/crypto/random_key.hpp"

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

namespace {

void create_limit(std::optional<RateLimit>& limit, std::int64_t per_second, RandomSource& random) {
  if (per_second == 0) return;
  limit.emplace(per_second, random_key(random));
}

std::optional<ExceededLimit> count(RateLimit& limit, std::string_view policy, Reason reason, const Hash32& requester,
                                   RateLimit::Time now) {
  const RateLimit::Duration retry_after = limit.acquire(requester, now);
  if (retry_after == RateLimit::Duration::zero()) return std::nullopt;
  return ExceededLimit{.policy = policy,
                       .reason = reason,
                       .quota = limit.quota(),
                       .window_seconds = RateLimit::window.count(),
                       .retry_after_seconds = std::chrono::ceil<std::chrono::seconds>(retry_after).count()};
}

// Subjects and clients have separate keys, because a user may have the name of a client.
CacheKey key_of(const Caller& caller) {
  const bool is_client = caller.subject.empty() || (caller.is_client_token && !caller.client.empty());
  CacheKey key(is_client ? CacheKeyKind::rate_of_client : CacheKeyKind::rate_of_subject);
  key.add(is_client ? caller.client : caller.subject);
  return key;
}

}  // namespace

RequestRates::RequestRates(std::int64_t per_address, std::int64_t per_subject, RandomSource& random, Now now)
    : now_(now) {
  create_limit(by_address_, per_address, random);
  create_limit(by_subject_, per_subject, random);
}

PeerLimits::PeerLimits(RequestRates& rates, const std::optional<IpAddress>& address)
    : rates_(rates), is_shared_proxy_(!address) {
  if (!address || !rates_.by_address_) return;
  const IpAddress client_prefix = address->client_prefix();
  address_ = rates_.by_address_->id_of(std::string(client_prefix.bytes().begin(), client_prefix.bytes().end()));
}

std::optional<ExceededLimit> PeerLimits::count_request() {
  if (!address_) return std::nullopt;
  return count(*rates_.by_address_, "address", Reason::address_rate, *address_, rates_.now_());
}

std::optional<ExceededLimit> PeerLimits::count_caller(const Caller& caller) {
  if (is_shared_proxy_) caller_ = std::max<std::uint64_t>(std::hash<std::string_view>{}(key_of(caller).bytes()), 1);
  auto& limit = rates_.by_subject_;
  if (!limit) return std::nullopt;
  return count(*limit, "subject", Reason::subject_rate, limit->id_of(key_of(caller).bytes()), rates_.now_());
}

}  // namespace portail::server
