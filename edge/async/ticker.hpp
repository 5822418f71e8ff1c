// The timer shared by all waits of an instance. While at least one task waits, one call of the host's clock, of one
// second, is pending, instead of one call for each wait. The task that made the call, its owner, gets its event, and
// makes the next call; a call of 1 ms wakes each other task whose timeout has passed. wasmtime 47 (Spin 4.1,
// wasmCloud 2.7) ends the instance if a task ends before a call that it made: the owner ends only when no call is
// needed. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "edge/async/subtask.hpp"

namespace portail::edge {

class Events;

class Ticker {
 public:
  // A wait with a timeout.
  class Listener {
   public:
    // Called once, in the task that waits, after the listener was removed.
    virtual void on_timeout() = 0;

   protected:
    ~Listener() = default;
  };

  // The ticker of this instance. Created by the first wait, never destroyed.
  static Ticker& current();

  // The tick at which a period that begins now has passed: one or two ticks late, never early.
  [[nodiscard]] std::uint64_t tick_after(std::uint64_t nanoseconds) const;
  [[nodiscard]] bool has_passed(std::uint64_t tick) const { return ticks_ >= tick; }

  // Calls `listener` when `tick` has passed, unless remove() is called before. `events` are those of the running task.
  void add(Listener& listener, Events& events, std::uint64_t tick);
  void remove(const Listener& listener);

  // For Events: whether `waitable` is a subtask of the ticker.
  [[nodiscard]] bool owns(Waitable waitable) const;
  // Handles an event of such a subtask in the task of `events`.
  void on_event(Events& events, Waitable waitable, std::uint32_t state);
  // Returns whether the task must not end yet: it made the pending call.
  [[nodiscard]] bool is_owned_by(const Events& events) const { return owner_ == &events; }
  // Called when the task of `events` ends.
  void detach(const Events& events);

 private:
  struct Entry {
    Listener* listener;
    Events* events;
    std::uint64_t tick;
  };
  struct Wake {
    Subtask subtask;
    Events* events = nullptr;  // of the task that it wakes
  };

  Ticker() = default;
  // Make calls of the host in the task of `owner`.
  void start_tick(Events& owner);
  void wake_others(const Events& owner);
  // Calls the listeners of the task whose tick has passed.
  void fire(const Events& events);

  std::vector<Entry> entries_;
  std::uint64_t ticks_ = 0;
  Subtask tick_;
  Events* owner_ = nullptr;  // null: no call is pending
  std::vector<std::unique_ptr<Wake>> wakes_;
};

}  // namespace portail::edge
