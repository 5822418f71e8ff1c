// Caches the values of a store by its edition (edition.hpp), for key-value services without a revision. When a session
// is opened, it reads `configuration`; while the edition is the same, the other values come from the cache, except
// those of volatile keys. Values that do not exist are read again by each session.
//
// The store must be linearizable: a read that begins after another read has seen a write sees this write too, also of
// another key. Its compare_and_swap must be atomic. Between an import's first and last change, and after an import that
// was interrupted, each value is read. Any thread.
#pragma once

#include <memory>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/value_cache.hpp"

namespace portail {

class EditionStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override;

  [[nodiscard]] CacheCounts cache_counts() { return cache_.counts(); }

 private:
  ValueCache cache_;
};

}  // namespace portail
