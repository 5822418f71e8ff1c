// How long a call to an engine may take, and what it is when it took longer. Values; any thread.
#pragma once

#include <chrono>
#include <optional>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"

namespace portail {

inline constexpr std::chrono::seconds longest_engine_call{10};

struct EngineDeadline {
  std::chrono::steady_clock::time_point at;
  Failure when_passed = Failure::unavailable;
};

// From now on, for a call that is no request's.
EngineDeadline usual_deadline();
// The same, or `longest` from now on where that is sooner.
EngineDeadline sooner(EngineDeadline deadline, std::chrono::milliseconds longest);
// When the request is over in any case; never, for a tool's.
std::optional<std::chrono::steady_clock::time_point> end_of_request(const Context& context);
// Of a call of that request: its end, or the longest that a call may take.
EngineDeadline deadline_of(const Context& context);

}  // namespace portail
