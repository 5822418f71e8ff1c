// Limits the average number of requests a second of one requester, with a burst of ten seconds' worth: the generic cell
// rate algorithm, which keeps one instant for each requester: when its burst is whole again. Memory is allocated once
// and never grows: sets of a few slots; the keyed hash of a requester's name selects its set. If all slots of the set
// are taken, the requester whose burst is whole first is evicted: one that no longer needs a slot, else the one that
// would have been free again soonest. An evicted requester starts with a full burst: many other requesters may spare it
// a refusal, and never cause one. Any thread.
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

namespace portail {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;
  static constexpr std::chrono::seconds window{10};
  static constexpr std::size_t ways = 16;
  static constexpr std::size_t most_sets = 4096;  // 65,536 askers, 2.7 MiB

  // `per_second` is at least 1. `key` is made from unpredictable bytes, so that a client cannot aim at a set.
  RateLimit(std::int64_t per_second, const Hash32& key, std::size_t sets = most_sets);

  // What stands for an asker.
  [[nodiscard]] Hash32 id_of(std::string_view asker) const { return keyed_blake2b(key_, asker); }
  // Zero: the request is counted. Else it is one too many and is not, and so long it takes until there is room for one.
  [[nodiscard]] Duration take(const Hash32& asker, Time now);

  // Requests at once; in each window no more come on average.
  [[nodiscard]] std::int64_t quota() const { return quota_; }
  // How many were one too many.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  struct Place {
    Hash32 asker{};
    Time whole_at = Time::min();
  };
  struct Set {
    std::mutex mutex;
    std::array<Place, ways> places;
  };

  [[nodiscard]] Set& set_of(const Hash32& asker);

  const std::int64_t quota_;
  const Duration interval_;  // in which there is room for one more
  const Hash32 key_;
  std::vector<Set> sets_;
  std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace portail
