// Suspends a request until another thread of its host wakes it, for example with a new key set. A suspended request
// occupies no thread. An interface; hosts with threads implement it, one object for each request.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>

namespace portail {

class RequestSuspension {
 public:
  virtual ~RequestSuspension() = default;

  // Called by an awaiter of the request in its await_suspend(). `coroutine` is resumed once, on a thread of the host:
  // after wake(), soon after `until`, or when the request is cancelled. Spurious wake-ups are possible.
  virtual void suspend(std::coroutine_handle<> coroutine, std::chrono::steady_clock::time_point until) = 0;
  // Wakes the request. Any thread, as long as the request's Task exists. Acquires only the host's own lock, and never
  // blocks.
  virtual void wake() = 0;
  // Returns whether the request was cancelled, so that its answer is not needed. Any thread.
  [[nodiscard]] virtual bool is_cancelled() const = 0;
  // Returns the client of the request, for stores that serve clients in turn; 0: unknown. On the request's thread.
  [[nodiscard]] virtual std::uint64_t client() const { return 0; }
};

}  // namespace portail
