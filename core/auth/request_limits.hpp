// Rate limits of requests, for hosts that have them: the host keeps the counts and the limits, the core decides what
// counts, and answers 429. A port; one for each request or connection, one thread at a time.
#pragma once

#include <optional>

#include "core/auth/caller.hpp"
#include "core/http/problem.hpp"

namespace portail {

class RequestLimits {
 public:
  virtual ~RequestLimits() = default;

  // Counts a request of the peer, before its token is looked at: all but probes of health and CORS preflights. A value:
  // it is one too many, and was not counted.
  [[nodiscard]] virtual std::optional<ExceededLimit> count_request() = 0;
  // The same for whom a verified token names, before the store is asked.
  [[nodiscard]] virtual std::optional<ExceededLimit> count_caller(const Caller& caller) = 0;
};

}  // namespace portail
