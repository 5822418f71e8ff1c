// What a task of the component model waits for. Such a task gives control back to the host and is called again with an
// event; its Events passes that event to the listener, which as a rule resumes a coroutine. One task, one Events; many
// tasks of an instance may wait at the same time, each for its own.
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
    virtual void happened(std::uint32_t code) = 0;

   protected:
    ~Listener() = default;
  };

  Events() : set_(http3_waitable_set_new()) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  // By then no listener is registered, and every waitable that had one is dropped.
  ~Events();

  // Those of the task that runs now: the host keeps the pointer for each task.
  static Events& current() { return *static_cast<Events*>(http3_context_get_0()); }
  void make_current() { http3_context_set_0(this); }

  // The next event of `waitable` goes to `listener`, once. Both live until then, or until forget(). A waitable that had
  // its event is dropped before this, or listened to again.
  void listen(Waitable waitable, Listener& listener);
  void forget(Waitable waitable);
  [[nodiscard]] bool awaited() const { return !awaited_.empty(); }

  // For a store whose host blocks the thread of its event loop in a call: Yield suspends then.
  void note_blocking_call() { has_blocked_ = true; }
  [[nodiscard]] bool has_blocked() const { return has_blocked_; }
  // `coroutine` is resumed after the host has had a turn; null: none is.
  void yield(std::coroutine_handle<> coroutine) { yielding_ = coroutine; }

  // Hands over what the host said.
  void take(const http3_event_t& event);
  [[nodiscard]] http3_waitable_set_t set() const { return set_; }
  // What a task that waits returns to the host.
  [[nodiscard]] http3_callback_code_t wait_code() const {
    return yielding_ ? HTTP3_CALLBACK_CODE_YIELD : HTTP3_CALLBACK_CODE_WAIT(set_);
  }

 private:
  struct Awaited {
    Waitable waitable;
    Listener* listener;
  };

  http3_waitable_set_t set_;
  std::vector<Awaited> awaited_;
  bool has_blocked_ = false;
  std::coroutine_handle<> yielding_;
};

// A span of time that bounds waits; it begins with the first of them. Up to two seconds more (Ticker).
class Timer {
 public:
  explicit Timer(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}

  // The tick of its end.
  std::uint64_t end();

 private:
  std::uint64_t nanoseconds_;
  std::optional<std::uint64_t> end_;
};

// `co_await Wait(waitable, timer)` suspends the coroutine until the host says something of `waitable`, and gives the
// event's code; nullopt where a timer was given, and over first. Destroying the coroutine ends the wait; what the host
// was asked to do is its owner's to cancel.
class Wait {
 public:
  Wait(Waitable waitable, Timer& timer) : Wait(waitable, &timer) {}
  // However long it takes.
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
    void happened(std::uint32_t code) override;
    Wait& wait;
  };
  struct Alarm final : Ticker::Waiting {
    explicit Alarm(Wait& owner) : wait(owner) {}
    void over() override;
    Wait& wait;
  };

  Wait(Waitable waitable, Timer* timer) : waitable_(waitable), timer_(timer), event_(*this), alarm_(*this) {}
  void stop();

  Waitable waitable_;
  Timer* timer_;
  Event event_;
  Alarm alarm_;
  Events* events_ = nullptr;  // while it waits
  std::coroutine_handle<> coroutine_;
  std::optional<std::uint32_t> code_;
};

// `co_await Yield()` suspends the coroutine until the host has had a turn, if a call of the task has blocked it before.
// Destroying the coroutine ends it.
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
