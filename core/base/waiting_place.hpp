// Where a request waits for what neither its store nor its peer brings, but another thread of its host: a new key set.
// While it waits it is suspended, and holds no thread. A port; hosts with threads implement it, one place a request.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>

namespace portail {

class WaitingPlace {
 public:
  virtual ~WaitingPlace() = default;

  // By an awaiter of the request, from its await_suspend(): `coroutine` is resumed once, on a thread of the host, after
  // wake(), soon after `until`, when the request is given up, or for no reason at all.
  virtual void suspend(std::coroutine_handle<> coroutine, std::chrono::steady_clock::time_point until) = 0;
  // Any thread, as long as the request's Task exists. Takes no other lock than the host's own, and waits for nothing.
  virtual void wake() = 0;
  // Whether the request was given up, so that its answer is not needed any more. Any thread.
  [[nodiscard]] virtual bool is_given_up() const = 0;
  // The client that the request is of, for stores whose calls take turns by client; 0: unknown. By the request's
  // thread.
  [[nodiscard]] virtual std::uint64_t client() const { return 0; }
};

}  // namespace portail
