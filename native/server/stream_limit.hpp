// Limits the concurrent streamed answers of one client. Each holds values or a snapshot of the store until its client
// has received the answer. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace portail::server {

class StreamLimit {
 public:
  // The permission for one streamed answer; its destructor releases it. The limit must outlive it.
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

  // Returns nullopt, and counts a refusal, if the client has reached its limit.
  std::optional<Slot> acquire(std::uint64_t client) {
    const std::lock_guard lock(mutex_);
    std::size_t& count = active_[client];
    if (count >= max_per_client_) {
      ++refused_;
      return std::nullopt;
    }
    ++count;
    return Slot(*this, client);
  }
  // Number of refused answers.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void release(std::uint64_t client) {
    const std::lock_guard lock(mutex_);
    const auto entry = active_.find(client);
    if (--entry->second == 0) active_.erase(entry);
  }

  const std::size_t max_per_client_;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> active_;  // clients with at least one
};

}  // namespace portail::server
