// How many streamed answers one client may have under way at the same time: each keeps values of the store, or a
// snapshot of it, for as long as its client takes the answer. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace portail {

class StreamLimit {
 public:
  // The right to one streamed answer, released with it. The limit outlives it.
  class Slot {
   public:
    Slot(Slot&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)), client_(other.client_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (limit_) limit_->release(client_);
    }

   private:
    friend class StreamLimit;
    Slot(StreamLimit& limit, std::uint64_t client) : limit_(&limit), client_(client) {}
    StreamLimit* limit_;
    std::uint64_t client_;
  };

  explicit StreamLimit(std::size_t max_per_client) : max_per_client_(max_per_client) {}
  StreamLimit(const StreamLimit&) = delete;
  StreamLimit& operator=(const StreamLimit&) = delete;

  // nullopt: the client has as many as it may, and this one is counted as refused.
  std::optional<Slot> acquire(std::uint64_t client) {
    const std::lock_guard lock(mutex_);
    std::size_t& count = under_way_[client];
    if (count >= max_per_client_) {
      ++refused_;
      return std::nullopt;
    }
    ++count;
    return Slot(*this, client);
  }
  // How many answers were refused.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void release(std::uint64_t client) {
    const std::lock_guard lock(mutex_);
    const auto entry = under_way_.find(client);
    if (--entry->second == 0) under_way_.erase(entry);
  }

  const std::size_t max_per_client_;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> under_way_;  // of clients with at least one
};

}  // namespace portail
