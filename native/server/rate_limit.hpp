// How many requests a second somebody may make on average, with a burst of ten seconds' worth: the generic cell rate
// algorithm, which keeps one instant for each asker: when their burst is whole again. Memory is taken once and never
// grows: sets of a few places; the keyed hash of an asker's name says which set is theirs. Where all its places are
// taken, the asker whose burst is whole first makes way: one of whom nothing is to be remembered any more, else the one
// who would have been free again soonest. Whoever made way begins anew: a crowd of others may spare somebody a refusal,
// and never brings them one. Any thread.
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

  // `per_second` is at least 1. `key` is made from unpredictable bytes, so that nobody can aim at a set.
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
