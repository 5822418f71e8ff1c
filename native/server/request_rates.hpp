// Limits of the rate of requests, by address and by subject.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "core/auth/request_limits.hpp"
#include "core/base/context.hpp"
#include "core/crypto/hash.hpp"
#include "native/server/address_range.hpp"

namespace portail::server {

// Limits the average request rate of each requester, with a burst of ten seconds' worth (generic cell rate algorithm).
// Of each requester one instant is stored, at which its burst is full again. Memory is allocated once: sets of `ways`
// slots. A keyed hash of the requester's name selects the set. In a full set the slot whose burst is full first is
// evicted. An evicted requester starts again with a full burst, so an eviction never causes a refusal. Any thread.

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

// Request rate limits by peer address, and by subject (by client if the token is the client's own). Each is optional.
// Any thread, except PeerLimits: one thread at a time.

class RequestRates {
 public:
  using Now = RateLimit::Time (*)();

  // Limits in requests a second; zero: no limit.
  RequestRates(std::int64_t per_address, std::int64_t per_subject, RandomSource& random,
               Now now = &std::chrono::steady_clock::now);

  // Numbers of requests refused by each limit.
  [[nodiscard]] std::uint64_t refused_by_address() const { return by_address_ ? by_address_->refused() : 0; }
  [[nodiscard]] std::uint64_t refused_by_subject() const { return by_subject_ ? by_subject_->refused() : 0; }

 private:
  friend class PeerLimits;

  Now now_;
  std::optional<RateLimit> by_address_;
  std::optional<RateLimit> by_subject_;
};

// The limits of the requests of one connection.
class PeerLimits final : public RequestLimits {
 public:
  // Without an address, that is for a trusted proxy, only subjects are limited. `rates` must outlive this.
  PeerLimits(RequestRates& rates, const std::optional<IpAddress>& address);

  [[nodiscard]] std::optional<ExceededLimit> count_request() override;
  [[nodiscard]] std::optional<ExceededLimit> count_caller(const Caller& caller) override;

  // Resets the caller. Call it before each request.
  void begin_request() { caller_ = 0; }
  // Returns the caller as a number; 0 before count_caller(), and without a proxy. Callers with equal numbers share
  // turns.
  [[nodiscard]] std::uint64_t caller() const { return caller_; }

 private:
  RequestRates& rates_;
  std::optional<Hash32> address_;  // absent: not limited
  bool is_shared_proxy_;           // has many clients, which are distinguished by caller
  std::uint64_t caller_ = 0;
};

}  // namespace portail::server
