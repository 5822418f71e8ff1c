// Limits of the answers that clients have not received.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "native/http/byte_stream.hpp"
#include "native/server/address_range.hpp"

namespace portail::server {

// Limits the concurrent streamed answers of one client. Each holds values or a snapshot of the store until its client
// has received the answer. Any thread.

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

// Selects the answers to cut off if clients leave too many bytes unread. Pure functions; any thread.

// An answer that waits for its client.
struct UnsentAnswer {
  IpAddress client;
  std::size_t bytes = 0;  // of memory
  Deadline deadline;      // of the wait: the earlier, the longer the client has received nothing
};

// Returns the indices of the answers to cut off, so that the others occupy at most `max_bytes`. Each step selects, of
// the client whose answers occupy most, the one that has waited longest. So a client that reads its answers does not
// lose them to one that requests many and reads none.
std::vector<std::size_t> answers_to_abort(std::span<const UnsentAnswer> answers, std::size_t max_bytes);

}  // namespace portail::server
