// A bounded cache of the values of a store at one revision. Any thread.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cache_key.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/storage/mutex.hpp"

namespace portail {

class ValueCache {
 public:
  using SharedValue = std::shared_ptr<const std::string>;  // null: the key has no value

  struct Limits {
    std::size_t values = 4096;
    std::size_t bytes = std::size_t{2} * 1024 * 1024;
  };
  explicit ValueCache(const Limits& limits) : limits_(limits) {}
  ValueCache() : ValueCache(Limits{}) {}

  // Called with each revision that was read. If it differs from the last one, removes all values.
  void set_revision(const StoreRevision& revision);

  // Returns the value of `key` at `revision`; nullopt if it is not cached.
  [[nodiscard]] std::optional<SharedValue> find(std::string_view key, const StoreRevision& revision);

  // Caches `value`, which was read after `revision`. Removes others, the least recently used
  // first, if the cache is full. Does nothing if another revision was set since, or if the value is too large.
  void insert(std::string_view key, const StoreRevision& revision, SharedValue value);

  [[nodiscard]] CacheCounts counts();
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  struct Entry {
    std::string key;
    SharedValue value;
  };
  using Entries = std::list<Entry>;

  void remove(Entries::iterator entry);

  const Limits limits_;
  Mutex mutex_;  // guards the members below
  std::optional<StoreRevision> revision_;
  Entries entries_;  // most recently used first
  std::map<std::string_view, Entries::iterator> by_key_;
  CacheCounts counts_;
};

// The part of a cache that one session uses, at the revision of its opening. One thread.
class CachedValues {
 public:
  // `cache` must outlive this. nullopt: no value is cached.
  CachedValues(ValueCache& cache, const std::optional<StoreRevision>& revision) : cache_(cache), revision_(revision) {}

  // Returns the value of `key`, valid as long as this; nullopt if it must be read, as that of a volatile key.
  std::optional<Value> find(std::string_view key);

  // Caches a value that was read after the revision. Does nothing for a volatile key, or after half of the cache, so
  // that a large list does not evict what others use.
  void insert(std::string_view key, Value value);

 private:
  ValueCache& cache_;
  const std::optional<StoreRevision> revision_;
  std::vector<ValueCache::SharedValue> used_;
  std::size_t inserted_bytes_ = 0;
};

}  // namespace portail
