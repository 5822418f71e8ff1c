// Rate limits of requests. The host has the counters and the limits; the core decides which requests count, and answers
// 429. An interface; one object for each request or connection, one thread at a time.
#pragma once

#include <optional>

#include "core/auth/caller.hpp"
#include "core/http/problem.hpp"

namespace portail {

class RequestLimits {
 public:
  virtual ~RequestLimits() = default;

  // Counts a request of the peer, before its token is checked; health probes and CORS preflights do not count. Returns
  // the limit that the request exceeds; it is then not counted.
  [[nodiscard]] virtual std::optional<ExceededLimit> count_request() = 0;
  // The same for the caller of a verified token, before the store is read.
  [[nodiscard]] virtual std::optional<ExceededLimit> count_caller(const Caller& caller) = 0;
};

}  // namespace portail
