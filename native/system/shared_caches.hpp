// The caches of a host with threads: of tokens, answers and pseudonyms.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/answer_cache.hpp"
#include "core/auth/token_cache.hpp"
#include "core/base/cache_key.hpp"

namespace portail {

// The token cache of a host with threads: shards with a mutex each. Any thread.

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

// The answer cache of a host with threads, under one mutex. Lookups hold it for 64 comparisons of hashes, insertions
// for a comparison of source values; nothing is copied under it. Any thread.

class SharedAnswerCache final : public AnswerCache {
 public:
  [[nodiscard]] std::shared_ptr<const CachedAnswer> find(const CacheKey& question) override {
    const std::lock_guard lock(mutex_);
    return answers_.find(question);
  }
  void put(CachedAnswer answer) override {
    const std::lock_guard lock(mutex_);
    answers_.put(std::move(answer));
  }
  void count_use(bool is_hit) override { (is_hit ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] CacheCounts counts() {
    const std::lock_guard lock(mutex_);
    return {.hits = hits_, .misses = misses_, .evictions = answers_.evictions(), .bytes = answers_.bytes()};
  }

 private:
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::mutex mutex_;  // guards the next member
  BoundedAnswerCache answers_;
};

// Pseudonyms of subjects (core/crypto/hash.hpp). The last ones are cached, because a computation costs half as much as
// an answer, and most clients send several requests. Any thread.
class Pseudonyms {
 public:
  // With the same key, a subject has the same pseudonym.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  // Appends 32 hexadecimal digits.
  void append(std::string& out, std::string_view subject);

 private:
  static constexpr std::size_t slot_count = 256;
  static constexpr std::size_t max_cached_subject = 256;  // bytes of a subject

  // Holds the last one of the subjects that share it.
  struct Slot {
    std::mutex mutex;
    std::string subject;
    std::string pseudonym;  // empty: the slot is free
  };

  std::string key_;
  std::array<Slot, slot_count> slots_;
};

}  // namespace portail
