#include "native/stores/engine/engine_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace portail::engine {

using std::chrono::microseconds, std::chrono::steady_clock;

Deadline default_deadline() { return {.at = steady_clock::now() + call_timeout}; }

Deadline limit_deadline(Deadline deadline, std::chrono::milliseconds timeout) {
  const auto limit = steady_clock::now() + timeout;
  return limit < deadline.at ? Deadline{.at = limit} : deadline;
}

std::optional<steady_clock::time_point> request_deadline(const Context& context) {
  if (context.deadline.microseconds == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  const std::int64_t left = context.deadline.microseconds - context.clock.now().microseconds;
  return steady_clock::now() + microseconds(std::max<std::int64_t>(left, 0));
}

Deadline call_deadline(const Context& context) {
  const Deadline latest = default_deadline();
  const auto end = request_deadline(context);
  if (!end || latest.at <= *end) return latest;
  return {.at = *end, .on_expiry = Failure::cancelled};
}

}  // namespace portail::engine
