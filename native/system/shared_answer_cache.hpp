// The answer cache of a host with threads, under one mutex. Lookups hold it for 64 comparisons of hashes, insertions
// for a comparison of source values; nothing is copied under it. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "core/api/answer_cache.hpp"

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

 private:
  std::mutex mutex_;
  BoundedAnswerCache answers_;
};

}  // namespace portail
