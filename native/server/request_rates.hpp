// The limits of the server: how often one address may ask, and one subject (or client, where a token is the client's
// own). Each is there or not. Any thread, but PeerLimits: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/auth/request_limits.hpp"
#include "core/base/context.hpp"
#include "native/server/address_range.hpp"
#include "native/server/rate_limit.hpp"

namespace portail {

class RequestRates {
 public:
  using Now = RateLimit::Time (*)();

  // In requests a second; zero: no limit.
  RequestRates(std::int64_t per_address, std::int64_t per_subject, RandomSource& random,
               Now now = &std::chrono::steady_clock::now);

  // How many requests were refused for them.
  [[nodiscard]] std::uint64_t refused_by_address() const { return by_address_ ? by_address_->refused() : 0; }
  [[nodiscard]] std::uint64_t refused_by_subject() const { return by_subject_ ? by_subject_->refused() : 0; }

 private:
  friend class PeerLimits;

  Now now_;
  std::optional<RateLimit> by_address_;
  std::optional<RateLimit> by_subject_;
};

// What the requests of one connection count against.
class PeerLimits final : public RequestLimits {
 public:
  // Without an address, which is a proxy's that many clients stand behind, only subjects count. `rates` outlives it.
  PeerLimits(RequestRates& rates, const std::optional<IpAddress>& address);

  [[nodiscard]] std::optional<ExceededLimit> count_request() override;
  [[nodiscard]] std::optional<ExceededLimit> count_caller(const Caller& caller) override;

  // Before each request: its caller is unknown.
  void begin_request() { caller_ = 0; }
  // The request's caller as a number, never 0 where one was counted. A collision of two callers has them share turns.
  [[nodiscard]] std::uint64_t caller() const { return caller_; }

 private:
  RequestRates& rates_;
  std::optional<Hash32> address_;  // nothing: not limited
  bool is_proxy_;                  // many clients stand behind it: they are told apart by caller
  std::uint64_t caller_ = 0;
};

}  // namespace portail
