// Deadlines of calls to an engine, and the failure that an expired one reports. Values; any thread.
#pragma once

#include <chrono>
#include <optional>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"

namespace portail::engine {

inline constexpr std::chrono::seconds call_timeout{10};

struct Deadline {
  std::chrono::steady_clock::time_point at;
  Failure on_expiry = Failure::unavailable;
};

// Returns `call_timeout` from now on, for a call that belongs to no request.
Deadline default_deadline();
// Returns the earlier one of `deadline` and `timeout` from now on.
Deadline limit_deadline(Deadline deadline, std::chrono::milliseconds timeout);
// Returns the deadline of the request; nullopt if it has none, as in a tool.
std::optional<std::chrono::steady_clock::time_point> request_deadline(const Context& context);
// Returns the deadline of one call of a request: the request's deadline, but at most `call_timeout` from now on.
Deadline call_deadline(const Context& context);

}  // namespace portail::engine
