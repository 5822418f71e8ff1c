// The pending events of a task of the component model. A task that waits returns to the host, which calls it back with
// an event; Events dispatches the event to its listener, which usually resumes a coroutine. Each task has its own
// Events, and several tasks of an instance may wait concurrently.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <vector>

#include "edge/async/subtask.hpp"
#include "edge/async/ticker.hpp"

namespace portail::edge {

class Events {
 public:
  class Listener {
   public:
    virtual void on_event(std::uint32_t code) = 0;

   protected:
    ~Listener() = default;
  };

  Events() : set_(http3_waitable_set_new()) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  // Before the destructor runs, all listeners must be removed or called, and their waitables dropped.
  ~Events();

  // The Events of the running task. The host stores the pointer for each task.
  static Events& current() { return *static_cast<Events*>(http3_context_get()); }
  void make_current() { http3_context_set(this); }

  // Registers `listener` for the next event of `waitable`. Both must live until that event or remove(). After its event
  // a waitable must be dropped, or registered again.
  void listen(Waitable waitable, Listener& listener);
  void remove(Waitable waitable);
  [[nodiscard]] bool has_listeners() const { return !registrations_.empty(); }

  // Called by a store whose calls may block the thread of the host's event loop. Yield suspends only after this.
  void note_blocking_call() { has_blocked_ = true; }
  [[nodiscard]] bool has_blocked() const { return has_blocked_; }
  // Sets the coroutine that is resumed after the task has yielded to the host; null: none.
  void yield(std::coroutine_handle<> coroutine) { yielding_ = coroutine; }

  // Dispatches an event from the host.
  void dispatch(const http3_event_t& event);
  [[nodiscard]] http3_waitable_set_t set() const { return set_; }
  // The code that a waiting task returns to the host.
  [[nodiscard]] http3_callback_code_t wait_code() const {
    return yielding_ ? HTTP3_CALLBACK_CODE_YIELD : HTTP3_CALLBACK_CODE_WAIT(set_);
  }

 private:
  struct Registration {
    Waitable waitable;
    Listener* listener;
  };

  http3_waitable_set_t set_;
  std::vector<Registration> registrations_;
  bool has_blocked_ = false;
  std::coroutine_handle<> yielding_;
};

// A timeout for one or more waits. It starts with the first wait, and ends up to two seconds late (Ticker).
class Timer {
 public:
  explicit Timer(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  // The tick at which the timeout ends. Starts it.
  std::uint64_t end_tick();

 private:
  std::uint64_t nanoseconds_;
  std::optional<std::uint64_t> end_tick_;
};

// `co_await Wait(waitable, timer)` suspends the coroutine until an event of `waitable`, and returns the event's code;
// nullopt if the timer ended first. Destroying the coroutine ends the wait; the owner of the host's operation must
// cancel it.
class Wait {
 public:
  Wait(Waitable waitable, Timer& timer) : Wait(waitable, &timer) {}
  // Without a timeout.
  explicit Wait(Waitable waitable) : Wait(waitable, nullptr) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() { stop(); }

  [[nodiscard]] bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine);
  [[nodiscard]] std::optional<std::uint32_t> await_resume() const { return code_; }

 private:
  struct Event final : Events::Listener {
    explicit Event(Wait& owner) : wait(owner) {}
    void on_event(std::uint32_t code) override;
    Wait& wait;
  };
  struct Timeout final : Ticker::Listener {
    explicit Timeout(Wait& owner) : wait(owner) {}
    void on_timeout() override;
    Wait& wait;
  };

  Wait(Waitable waitable, Timer* timer) : waitable_(waitable), timer_(timer), event_(*this), timeout_(*this) {}
  void stop();

  Waitable waitable_;
  Timer* timer_;
  Event event_;
  Timeout timeout_;
  Events* events_ = nullptr;  // while it waits
  std::coroutine_handle<> coroutine_;
  std::optional<std::uint32_t> code_;
};

// `co_await Yield()` yields to the host once, if a call of the task has blocked before (note_blocking_call).
class Yield {
 public:
  Yield() = default;
  Yield(const Yield&) = delete;
  Yield& operator=(const Yield&) = delete;
  ~Yield() {
    if (events_) events_->yield(nullptr);
  }

  [[nodiscard]] bool await_ready() const { return !Events::current().has_blocked(); }
  void await_suspend(std::coroutine_handle<> coroutine) {
    events_ = &Events::current();
    events_->yield(coroutine);
  }
  void await_resume() { events_ = nullptr; }

 private:
  Events* events_ = nullptr;
};

}  // namespace portail::edge
