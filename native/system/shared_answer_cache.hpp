// The answer cache of a host with threads, under one mutex. Lookups hold it for 64 comparisons of hashes, insertions
// for a comparison of source values; nothing is copied under it. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "core/api/answer_cache.hpp"
#include "core/base/cache_counts.hpp"

namespace portail {

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

}  // namespace portail
