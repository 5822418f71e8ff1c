#include "native/system/shared_caches.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::size_t max_shards = 32;

}  // namespace

SharedTokenCache::SharedTokenCache(const Hash32& key, std::size_t capacity) : TokenCache(key) {
  const std::size_t count = std::min(capacity, max_shards);
  for (std::size_t i = 0; i < count; ++i) shards_.push_back(std::make_unique<Shard>(key, capacity / count));
}

// By the last byte, because a shard uses the first ones.
SharedTokenCache::Shard& SharedTokenCache::shard_of(const Hash32& id) {
  return *shards_[std::to_integer<std::size_t>(id.back()) % shards_.size()];
}

std::shared_ptr<const VerifiedToken> SharedTokenCache::find(const Hash32& id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  auto found = shard.tokens.find(id);
  ++(found ? shard.counts.hits : shard.counts.misses);
  return found;
}

void SharedTokenCache::insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  shard.tokens.insert(id, std::move(token), now);
}

void SharedTokenCache::erase(const Hash32& id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  shard.tokens.erase(id);
}

std::optional<RefusedToken> SharedTokenCache::find_refused(const Hash32& id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  return shard.tokens.find_refused(id);
}

void SharedTokenCache::insert_refused(const Hash32& id, const RefusedToken& token) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  shard.tokens.insert_refused(id, token);
}

SharedTokenCache::Counts SharedTokenCache::counts() {
  Counts sum;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard->mutex);
    sum.hits += shard->counts.hits;
    sum.misses += shard->counts.misses;
  }
  return sum;
}

void Pseudonyms::append(std::string& out, std::string_view subject) {
  if (subject.size() > max_cached_subject) {
    out += pseudonym_of(subject, key_);
    return;
  }
  Slot& slot = slots_[std::hash<std::string_view>{}(subject) % slot_count];
  {
    const std::lock_guard lock(slot.mutex);
    if (!slot.pseudonym.empty() && slot.subject == subject) {
      out += slot.pseudonym;
      return;
    }
  }
  std::string pseudonym = pseudonym_of(subject, key_);
  out += pseudonym;
  const std::lock_guard lock(slot.mutex);
  slot.subject = subject;
  slot.pseudonym = std::move(pseudonym);
}

}  // namespace portail
