// The token cache of a host with threads: shards, each under a mutex of its own. Any thread.
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
  void keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override;
  void drop(const Hash32& id) override;
  [[nodiscard]] std::optional<RefusedToken> find_refused(const Hash32& id) override;
  void keep_refused(const Hash32& id, const RefusedToken& token) override;

  // How often find() knew the token, and did not, since the start.
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  [[nodiscard]] Counts counts();

 private:
  // On cache lines of its own, so that threads that meet different shards do not meet.
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
