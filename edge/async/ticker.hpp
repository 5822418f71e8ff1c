// The timer shared by all waits of an instance. While at least one task waits, the timer keeps one call of the host's
// clock of one second pending, instead of one call for each wait. A call of 1 ms wakes a second task whose timeout has
// passed. One waiting task, the carrier, receives the event of the call; if the carrier ends, another waiting task
// becomes the carrier. One thread.
#pragma once

#include <cstdint>
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

  // Calls `listener` when `tick` has passed, unless remove() is called before. `events` are those of the listener's
  // task.
  void add(Listener& listener, Events& events, std::uint64_t tick);
  void remove(const Listener& listener);

  // For Events: whether `waitable` is the ticker's own subtask.
  [[nodiscard]] bool owns(Waitable waitable) const { return waitable != 0 && subtask_.waitable() == waitable; }
  // Handles an event of that subtask.
  void on_event(std::uint32_t state);
  // Called when the task of `events` ends: if it is the carrier, another task takes over.
  void detach(const Events& events);

 private:
  struct Entry {
    Listener* listener;
    Events* events;
    std::uint64_t tick;
  };

  Ticker() = default;
  // Starts the host's clock_wait_for(nanoseconds). Its event goes to `carrier`.
  void start(std::uint64_t nanoseconds, Events& carrier);
  void set_carrier(Events* carrier);

  std::vector<Entry> entries_;
  std::uint64_t ticks_ = 0;
  Subtask subtask_;
  Events* carrier_ = nullptr;  // null: no task receives the event
  bool is_tick_ = false;       // false: the call only wakes a task whose time has passed
};

}  // namespace portail::edge
