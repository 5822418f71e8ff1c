#include "core/auth/token_cache.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t max_ways = 8;
constexpr std::size_t max_refused = 256;

bool has_expired(const VerifiedToken& token, Instant now) {
  return token.times.expires < static_cast<double>(now.seconds());
}

std::size_t slot_hash(const Hash32& id) {
  std::uint32_t number = 0;
  std::memcpy(&number, id.data(), sizeof number);
  return number;
}

}  // namespace

std::size_t memory_size(const VerifiedToken& token) {
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
      ways_(std::min(capacity, max_ways)),
      sets_(capacity / ways_),
      refused_(std::min(capacity, max_refused)) {}

BoundedTokenCache::Set& BoundedTokenCache::set_of(const Hash32& id) { return sets_[slot_hash(id) % sets_.size()]; }

BoundedTokenCache::Slot* BoundedTokenCache::find_slot(const Hash32& id) {
  Set& set = set_of(id);
  const auto found = std::ranges::find(set, id, &Slot::id);
  return found == set.end() ? nullptr : &*found;
}

std::shared_ptr<const VerifiedToken> BoundedTokenCache::find(const Hash32& id) {
  Slot* slot = find_slot(id);
  if (!slot) return nullptr;
  slot->last_used = ++use_count_;
  return slot->token;
}

void BoundedTokenCache::insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) {
  if (memory_size(*token) > max_cached_token_size) return erase(id);
  Slot* slot = find_slot(id);
  if (!slot) slot = &acquire_slot(set_of(id), now);
  *slot = {.id = id, .token = std::move(token), .last_used = ++use_count_};
}

BoundedTokenCache::Slot& BoundedTokenCache::acquire_slot(Set& set, Instant now) {
  if (set.size() < ways_) return set.emplace_back();
  // An expired token first, then the least recently used one.
  return *std::ranges::min_element(
      set, {}, [now](const Slot& slot) { return std::tuple(!has_expired(*slot.token, now), slot.last_used); });
}

void BoundedTokenCache::erase(const Hash32& id) {
  std::erase_if(set_of(id), [&id](const Slot& slot) { return slot.id == id; });
}

std::unique_ptr<BoundedTokenCache::RefusedSlot>& BoundedTokenCache::refused_slot(const Hash32& id) {
  return refused_[slot_hash(id) % refused_.size()];
}

std::optional<RefusedToken> BoundedTokenCache::find_refused(const Hash32& id) {
  const auto& slot = refused_slot(id);
  if (!slot || slot->id != id) return std::nullopt;
  return slot->token;
}

void BoundedTokenCache::insert_refused(const Hash32& id, const RefusedToken& token) {
  refused_slot(id) = std::make_unique<RefusedSlot>(id, token);
}

}  // namespace portail
