#include "core/storage/value_cache.hpp"

#include <iterator>
#include <utility>

#include "core/storage/key.hpp"

namespace portail {
namespace {

std::size_t size_of(const ValueCache::SharedValue& value) { return value ? value->size() : 0; }

}  // namespace

void ValueCache::set_revision(const StoreRevision& revision) {
  const Lock lock(mutex_);
  if (revision_ == revision) return;
  revision_ = revision;
  by_key_.clear();
  entries_.clear();
  counts_.bytes = 0;
}

std::optional<ValueCache::SharedValue> ValueCache::find(std::string_view key, const StoreRevision& revision) {
  const Lock lock(mutex_);
  const auto found = revision_ == revision ? by_key_.find(key) : by_key_.end();
  if (found == by_key_.end()) {
    ++counts_.misses;
    return std::nullopt;
  }
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void ValueCache::insert(std::string_view key, const StoreRevision& revision, SharedValue value) {
  const Lock lock(mutex_);
  const std::size_t size = size_of(value);
  if (revision_ != revision || size > limits_.bytes) return;
  if (const auto found = by_key_.find(key); found != by_key_.end()) remove(found->second);
  while (entries_.size() == limits_.values || counts_.bytes + size > limits_.bytes) {
    remove(std::prev(entries_.end()));
    ++counts_.evictions;
  }
  entries_.push_front({.key = std::string(key), .value = std::move(value)});
  by_key_.emplace(entries_.front().key, entries_.begin());
  counts_.bytes += size;
}

CacheCounts ValueCache::counts() {
  const Lock lock(mutex_);
  return counts_;
}

void ValueCache::remove(Entries::iterator entry) {
  counts_.bytes -= size_of(entry->value);
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

std::optional<Value> CachedValues::find(std::string_view key) {
  if (!revision_ || is_volatile_key(key)) return std::nullopt;
  auto cached = cache_.find(key, *revision_);
  if (!cached) return std::nullopt;
  if (!*cached) return Value();
  return *used_.emplace_back(std::move(*cached));
}

void CachedValues::insert(std::string_view key, Value value) {
  if (!revision_ || is_volatile_key(key)) return;
  if (inserted_bytes_ > cache_.limits().bytes / 2) return;  // one session does not replace all values
  ValueCache::SharedValue shared;
  if (value) shared = std::make_shared<const std::string>(*value);
  inserted_bytes_ += size_of(shared);
  cache_.insert(key, *revision_, std::move(shared));
}

}  // namespace portail
