#include "core/auth/token_cache.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t most_ways = 8;

bool has_expired(const VerifiedToken& token, Instant now) {
  return token.times.expires < static_cast<double>(now.seconds());
}

}  // namespace

BoundedTokenCache::BoundedTokenCache(const Hash32& key, std::size_t capacity)
    : TokenCache(key), ways_(std::min(capacity, most_ways)), places_(capacity / ways_ * ways_) {}

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

}  // namespace portail
