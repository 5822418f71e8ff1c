#include "core/auth/token_cache.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t most_ways = 8;
constexpr std::size_t most_refused = 256;

bool has_expired(const VerifiedToken& token, Instant now) {
  return token.times.expires < static_cast<double>(now.seconds());
}

}  // namespace

std::size_t memory_of(const VerifiedToken& token) {
  const Caller& caller = token.caller;
  std::size_t bytes = sizeof token + caller.subject.capacity() + caller.client.capacity() + caller.user_name.capacity();
  for (const std::string& role : caller.roles) bytes += sizeof role + role.capacity();
  return bytes;
}

BoundedTokenCache::BoundedTokenCache(const Hash32& key, std::size_t capacity)
    : TokenCache(key),
      ways_(std::min(capacity, most_ways)),
      places_(capacity / ways_ * ways_),
      refused_(std::min(capacity, most_refused)) {}

std::span<BoundedTokenCache::Place> BoundedTokenCache::set_of(const Hash32& id) {
  std::uint32_t number = 0;
  std::memcpy(&number, id.data(), sizeof number);
  return std::span(places_).subspan(number % (places_.size() / ways_) * ways_, ways_);
}

BoundedTokenCache::Place* BoundedTokenCache::place_of(const Hash32& id) {
  const auto set = set_of(id);
  const auto found = std::ranges::find_if(set, [&id](const Place& place) { return place.token && place.id == id; });
  return found == set.end() ? nullptr : &*found;
}

std::shared_ptr<const VerifiedToken> BoundedTokenCache::find(const Hash32& id) {
  Place* place = place_of(id);
  if (!place) return nullptr;
  place->asked = ++questions_;
  return place->token;
}

void BoundedTokenCache::keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) {
  if (memory_of(*token) > largest_remembered_token) return drop(id);
  Place* place = place_of(id);
  if (!place) {
    // Free places first, then tokens that have expired, then the one that was not asked for longest.
    place = &*std::ranges::min_element(set_of(id), {}, [now](const Place& held) {
      return std::tuple(held.token != nullptr, held.token && !has_expired(*held.token, now), held.asked);
    });
  }
  *place = {.id = id, .token = std::move(token), .asked = ++questions_};
}

void BoundedTokenCache::drop(const Hash32& id) {
  if (Place* place = place_of(id)) *place = {};
}

BoundedTokenCache::RefusedPlace& BoundedTokenCache::refused_place_of(const Hash32& id) {
  std::uint32_t number = 0;
  std::memcpy(&number, id.data(), sizeof number);
  return refused_[number % refused_.size()];
}

std::optional<RefusedToken> BoundedTokenCache::find_refused(const Hash32& id) {
  const RefusedPlace& place = refused_place_of(id);
  if (!place.token.keys || place.id != id) return std::nullopt;
  return place.token;
}

void BoundedTokenCache::keep_refused(const Hash32& id, const RefusedToken& token) {
  refused_place_of(id) = {.id = id, .token = token};
}

}  // namespace portail
