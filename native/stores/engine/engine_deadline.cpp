#include "native/stores/engine/engine_deadline.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace portail {

using std::chrono::microseconds, std::chrono::steady_clock;

EngineDeadline usual_deadline() { return {.at = steady_clock::now() + longest_engine_call}; }

EngineDeadline sooner(EngineDeadline deadline, std::chrono::milliseconds longest) {
  const auto bound = steady_clock::now() + longest;
  return bound < deadline.at ? EngineDeadline{.at = bound} : deadline;
}

std::optional<steady_clock::time_point> end_of_request(const Context& context) {
  if (context.deadline.microseconds == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  const std::int64_t left = context.deadline.microseconds - context.clock.now().microseconds;
  return steady_clock::now() + microseconds(std::max<std::int64_t>(left, 0));
}

EngineDeadline deadline_of(const Context& context) {
  const EngineDeadline longest = usual_deadline();
  const auto end = end_of_request(context);
  if (!end || longest.at <= *end) return longest;
  return {.at = *end, .when_passed = Failure::cancelled};
}

}  // namespace portail
