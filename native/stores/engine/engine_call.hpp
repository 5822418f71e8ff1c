// Calls to an engine and their deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"
#include "core/base/task.hpp"

namespace portail::engine {

// Deadlines of calls to an engine, and the failure that an expired one reports. Values; any thread.

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

// One call of a store to its engine: the query with its deadline, and the outcome. The loop that serves the connections
// completes each call, at its deadline at the latest; the caller may have abandoned the call by then. Any thread.

// Returns the client of the request, by which the calls of different clients are served in turn; 0: unknown.
inline std::uint64_t client_id(const Context& context) { return context.suspension ? context.suspension->client() : 0; }

template <class Query, class Response, class Fault>
class Call {
 public:
  using Outcome = std::expected<Response, Fault>;

  explicit Call(Query submitted) : query(std::move(submitted)) {}

  // Sets the outcome and resumes the caller. Called once, by the loop.
  void complete(Outcome outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    if (suspension_) suspension_->wake();
    completed_.notify_all();
  }

  // Returns the outcome. Suspends the caller's request if the context supports that, else blocks the thread. Fails with
  // `cancelled` if the request is cancelled first.
  static Task<Outcome> wait(Context& context, std::shared_ptr<Call> call) {
    if (context.suspension) {
      Waiter waiter(*call, *context.suspension);
      while (!co_await waiter) {
      }
    }
    std::unique_lock lock(call->mutex_);
    if (!context.suspension) call->completed_.wait(lock, [&call] { return call->outcome_.has_value(); });
    if (!call->outcome_) co_return std::unexpected(Fault{.failure = Failure::cancelled, .message = "it was cancelled"});
    co_return std::move(*call->outcome_);
  }

  const Query query;

 private:
  // Suspends a request until its call is completed.
  class Waiter {
   public:
    Waiter(Call& call, RequestSuspension& suspension) : call_(call), suspension_(suspension) {}
    ~Waiter() {
      const std::lock_guard lock(call_.mutex_);
      call_.suspension_ = nullptr;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    bool await_ready() { return false; }
    bool await_suspend(std::coroutine_handle<> coroutine) {
      const std::lock_guard lock(call_.mutex_);
      if (is_over()) return false;
      // The loop completes every call earlier.
      constexpr std::chrono::seconds grace_period{5};
      suspension_.suspend(coroutine, call_.query.deadline.at + grace_period);
      call_.suspension_ = &suspension_;
      return true;
    }
    // Returns true if the wait is over, false after a spurious resumption.
    bool await_resume() {
      const std::lock_guard lock(call_.mutex_);
      return is_over();
    }

   private:
    [[nodiscard]] bool is_over() const { return call_.outcome_ || suspension_.is_cancelled(); }

    Call& call_;
    RequestSuspension& suspension_;
  };

  std::mutex mutex_;
  std::condition_variable completed_;
  std::optional<Outcome> outcome_;
  RequestSuspension* suspension_ = nullptr;  // of the caller, while it is suspended
};

// Submits the query to the loop, and returns the outcome of the call.
template <class Call, class Loop, class Query>
Task<typename Call::Outcome> execute(Context& context, Loop& loop, Query query) {
  auto call = std::make_shared<Call>(std::move(query));
  loop.submit(call);
  return Call::wait(context, std::move(call));
}

}  // namespace portail::engine
