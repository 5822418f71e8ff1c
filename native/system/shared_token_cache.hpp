// The token cache of a host with threads: shards with a mutex each. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/auth/token_cache.hpp"

namespace portail {

class SharedTokenCache final : public TokenCache {
 public:
  // `capacity` is at least 1.
  SharedTokenCache(const Hash32& key, std::size_t capacity);

  [[nodiscard]] std::shared_ptr<const VerifiedToken> find(const Hash32& id) override;
  void insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override;
  void erase(const Hash32& id) override;
  [[nodiscard]] std::optional<RefusedToken> find_refused(const Hash32& id) override;
  void insert_refused(const Hash32& id, const RefusedToken& token) override;

  // Hits and misses of find() since the start.
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  [[nodiscard]] Counts counts();

 private:
  // Aligned to a cache line, so that threads of different shards do not contend.
  struct alignas(64) Shard {
    Shard(const Hash32& key, std::size_t capacity) : tokens(key, capacity) {}
    std::mutex mutex;
    BoundedTokenCache tokens;
    Counts counts;
  };

  [[nodiscard]] Shard& shard_of(const Hash32& id);

  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace portail
