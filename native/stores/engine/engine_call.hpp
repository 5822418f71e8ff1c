// One call of a store to its engine: what is asked, with its deadline, and how it ended. The loop that works on the
// connections ends each call, by its deadline at the latest; its caller may be gone by then. Any thread.
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
#include "core/base/waiting_place.hpp"

namespace portail {

// Of the request, for calls that take turns by client; 0: unknown.
inline std::uint64_t client_of(const Context& context) {
  return context.waiting_place ? context.waiting_place->client() : 0;
}

template <class Question, class Answer, class Fault>
class EngineCall {
 public:
  using Outcome = std::expected<Answer, Fault>;

  explicit EngineCall(Question asked) : question(std::move(asked)) {}

  // By the loop, once.
  void finish(Outcome outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    if (place_) place_->wake();
    finished_.notify_all();
  }

  // By the caller: waits in its place where the context has one, else in its thread. Fails with cancelled where the
  // request is given up meanwhile.
  static Task<Outcome> outcome_of(Context& context, std::shared_ptr<EngineCall> call) {
    if (context.waiting_place) {
      Waiter waiter(*call, *context.waiting_place);
      while (!co_await waiter) {
      }
    }
    std::unique_lock lock(call->mutex_);
    if (!context.waiting_place) call->finished_.wait(lock, [&call] { return call->outcome_.has_value(); });
    if (!call->outcome_) co_return std::unexpected(Fault{.failure = Failure::cancelled, .text = "it was given up"});
    co_return std::move(*call->outcome_);
  }

  const Question question;

 private:
  // A request that is suspended until its call is finished.
  class Waiter {
   public:
    Waiter(EngineCall& call, WaitingPlace& place) : call_(call), place_(place) {}
    ~Waiter() {
      const std::lock_guard lock(call_.mutex_);
      call_.place_ = nullptr;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    bool await_ready() { return false; }
    bool await_suspend(std::coroutine_handle<> coroutine) {
      const std::lock_guard lock(call_.mutex_);
      if (is_over()) return false;
      // The loop is never that late.
      constexpr std::chrono::seconds grace{5};
      place_.suspend(coroutine, call_.question.deadline.at + grace);
      call_.place_ = &place_;
      return true;
    }
    // Whether there is nothing more to wait for.
    bool await_resume() {
      const std::lock_guard lock(call_.mutex_);
      return is_over();
    }

   private:
    [[nodiscard]] bool is_over() const { return call_.outcome_ || place_.is_given_up(); }

    EngineCall& call_;
    WaitingPlace& place_;
  };

  std::mutex mutex_;
  std::condition_variable finished_;
  std::optional<Outcome> outcome_;
  WaitingPlace* place_ = nullptr;  // of a request that is suspended
};

}  // namespace portail
