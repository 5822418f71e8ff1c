// Limits the average request rate of each requester, with a burst of ten seconds' worth (generic cell rate algorithm).
// Of each requester one instant is stored, at which its burst is full again. Memory is allocated once: sets of `ways`
// slots. A keyed hash of the requester's name selects the set. In a full set the slot whose burst is full first is
// evicted. An evicted requester starts again with a full burst, so an eviction never causes a refusal. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/crypto/hash.hpp"

namespace portail::server {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;
  static constexpr std::chrono::seconds window{10};
  static constexpr std::size_t ways = 16;
  static constexpr std::size_t max_sets = 4096;  // 65,536 requesters, 2.7 MiB

  // `per_second` is at least 1. `key` must be unpredictable, so that a client cannot target a set.
  RateLimit(std::int64_t per_second, const Hash32& key, std::size_t sets = max_sets);

  // Returns the identifier of a requester.
  [[nodiscard]] Hash32 id_of(std::string_view requester) const { return keyed_blake2b(key_, requester); }
  // Returns zero and counts the request, or returns the time until a request is possible again and counts a refusal.
  [[nodiscard]] Duration acquire(const Hash32& requester, Time now);

  // Size of a burst, and the average number of requests in each window.
  [[nodiscard]] std::int64_t quota() const { return quota_; }
  // Number of refused requests.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  struct Slot {
    Hash32 requester{};
    Time full_at = Time::min();
  };
  struct Set {
    std::mutex mutex;
    std::array<Slot, ways> slots;
  };

  [[nodiscard]] Set& set_of(const Hash32& requester);

  const std::int64_t quota_;
  const Duration interval_;  // time in which one more request becomes possible
  const Hash32 key_;
  std::vector<Set> sets_;
  std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace portail::server
