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

std::size_t number_of(const Hash32& id) {
  std::uint32_t number = 0;
  std::memcpy(&number, id.data(), sizeof number);
  return number;
}

}  // namespace

std::size_t memory_of(const VerifiedToken& token) {
  const Caller& caller = token.caller;
  std::size_t bytes = sizeof token;
  for (const std::string* text :
       {&caller.subject, &caller.client, &caller.user_name, &caller.first_name, &caller.last_name, &caller.email}) {
    bytes += text->capacity();
  }
  for (const std::string& role : caller.roles) bytes += sizeof role + role.capacity();
  return bytes;
}

BoundedTokenCache::BoundedTokenCache(const Hash32& key, std::size_t capacity)
    : TokenCache(key),
      ways_(std::min(capacity, most_ways)),
      sets_(capacity / ways_),
      refused_(std::min(capacity, most_refused)) {}

BoundedTokenCache::Set& BoundedTokenCache::set_of(const Hash32& id) { return sets_[number_of(id) % sets_.size()]; }

BoundedTokenCache::Place* BoundedTokenCache::place_of(const Hash32& id) {
  Set& set = set_of(id);
  const auto found = std::ranges::find(set, id, &Place::id);
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
  if (!place) place = &place_for(set_of(id), now);
  *place = {.id = id, .token = std::move(token), .asked = ++questions_};
}

BoundedTokenCache::Place& BoundedTokenCache::place_for(Set& set, Instant now) {
  if (set.size() < ways_) return set.emplace_back();
  // A token that has expired first, then the one that was not asked for longest.
  return *std::ranges::min_element(
      set, {}, [now](const Place& held) { return std::tuple(!has_expired(*held.token, now), held.asked); });
}

void BoundedTokenCache::drop(const Hash32& id) {
  std::erase_if(set_of(id), [&id](const Place& place) { return place.id == id; });
}

std::unique_ptr<BoundedTokenCache::RefusedPlace>& BoundedTokenCache::refused_place_of(const Hash32& id) {
  return refused_[number_of(id) % refused_.size()];
}

std::optional<RefusedToken> BoundedTokenCache::find_refused(const Hash32& id) {
  const auto& place = refused_place_of(id);
  if (!place || place->id != id) return std::nullopt;
  return place->token;
}

void BoundedTokenCache::keep_refused(const Hash32& id, const RefusedToken& token) {
  refused_place_of(id) = std::make_unique<RefusedPlace>(id, token);
}

}  // namespace portail
