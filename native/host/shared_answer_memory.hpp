// The answers of a host with threads, under one mutex. To find one it is held for a look at 64 hashes; to keep a new
// one, while the values that it is made of are compared with those of the others. Nothing is made or copied out
// meanwhile. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "core/api/answer_memory.hpp"

namespace portail {

class SharedAnswerMemory final : public AnswerMemory {
 public:
  [[nodiscard]] std::shared_ptr<const RememberedAnswer> find(const CacheKey& question) override {
    const std::lock_guard lock(mutex_);
    return answers_.find(question);
  }
  void keep(RememberedAnswer answer) override {
    const std::lock_guard lock(mutex_);
    answers_.keep(std::move(answer));
  }

 private:
  std::mutex mutex_;
  BoundedAnswerMemory answers_;
};

}  // namespace portail
