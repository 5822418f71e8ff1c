// Request rate limits by peer address, and by subject (by client if the token is the client's own). Each is optional.
// Any thread, except PeerLimits: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/auth/request_limits.hpp"
#include "core/base/context.hpp"
#include "native/server/address_range.hpp"
#include "native/server/rate_limit.hpp"

namespace portail::server {

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
