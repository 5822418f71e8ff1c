#include "native/server/request_rates.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/cache_key.hpp"

namespace portail {
namespace {

void make(std::optional<RateLimit>& limit, std::int64_t per_second, RandomSource& random) {
  if (per_second == 0) return;
  Hash32 key;
  random.fill(key);
  limit.emplace(per_second, key);
}

std::optional<ExceededLimit> count(RateLimit& limit, std::string_view policy, const Hash32& asker,
                                   RateLimit::Time now) {
  const RateLimit::Duration wait = limit.take(asker, now);
  if (wait == RateLimit::Duration::zero()) return std::nullopt;
  return ExceededLimit{.policy = policy,
                       .quota = limit.quota(),
                       .window_seconds = RateLimit::window.count(),
                       .seconds_until_room = std::chrono::ceil<std::chrono::seconds>(wait).count()};
}

// A user may have the name of a client.
CacheKey key_of(const Caller& caller) {
  const bool is_client = caller.subject.empty() || (caller.is_client_itself && !caller.client.empty());
  CacheKey key(is_client ? KeyKind::rate_of_client : KeyKind::rate_of_subject);
  key.add(is_client ? caller.client : caller.subject);
  return key;
}

}  // namespace

RequestRates::RequestRates(std::int64_t per_address, std::int64_t per_subject, RandomSource& random, Now now)
    : now_(now) {
  make(by_address_, per_address, random);
  make(by_subject_, per_subject, random);
}

PeerLimits::PeerLimits(RequestRates& rates, const std::optional<IpAddress>& address)
    : rates_(rates), is_proxy_(!address) {
  if (!address || !rates_.by_address_) return;
  const IpAddress customer = address->customer();
  address_ = rates_.by_address_->id_of(std::string(customer.bytes().begin(), customer.bytes().end()));
}

std::optional<ExceededLimit> PeerLimits::count_request() {
  if (!address_) return std::nullopt;
  return count(*rates_.by_address_, "address", *address_, rates_.now_());
}

std::optional<ExceededLimit> PeerLimits::count_caller(const Caller& caller) {
  if (is_proxy_) caller_ = std::max<std::uint64_t>(std::hash<std::string_view>{}(key_of(caller).bytes()), 1);
  auto& limit = rates_.by_subject_;
  if (!limit) return std::nullopt;
  return count(*limit, "subject", limit->id_of(key_of(caller).bytes()), rates_.now_());
}

}  // namespace portail
