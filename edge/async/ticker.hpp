// Time for all the waits of an instance: one call of the host's clock a second at most, while a task waits, instead of
// one for each wait. Its subtask is heard by one of the tasks that wait, the carrier, which hands it to another when it
// ends. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "edge/async/subtask.hpp"

namespace portail::edge {

class Events;

class Ticker {
 public:
  // A wait that must not take for ever.
  class Waiting {
   public:
    // The time is over; it was taken off before. Called in the task that waits.
    virtual void over() = 0;

   protected:
    ~Waiting() = default;
  };

  // That of this instance; made by the first wait, and it has no end.
  static Ticker& current();

  // The tick after which a span that begins now is over for certain: a tick or two late, never early.
  [[nodiscard]] std::uint64_t end_of(std::uint64_t nanoseconds) const;
  [[nodiscard]] bool is_over(std::uint64_t tick) const { return ticks_ >= tick; }

  // `waiting`, of the task whose Events these are, is told when `tick` has passed, unless it is taken off before.
  void add(Waiting& waiting, Events& events, std::uint64_t tick);
  void remove(const Waiting& waiting);

  // For Events: of the ticker's own subtask.
  [[nodiscard]] bool is_heard_as(Waitable waitable) const { return waitable != 0 && subtask_.waitable() == waitable; }
  void take(std::uint32_t state);
  // That task ends.
  void leave(const Events& events);

 private:
  struct Entry {
    Waiting* waiting;
    Events* events;
    std::uint64_t tick;
  };

  Ticker() = default;
  // The next call of the host's clock, of so many nanoseconds, heard by `carrier`.
  void begin(std::uint64_t nanoseconds, Events& carrier);
  void be_heard_by(Events* carrier);

  std::vector<Entry> entries_;
  std::uint64_t ticks_ = 0;
  Subtask subtask_;
  Events* carrier_ = nullptr;  // null: no task listens to it
  bool is_tick_ = false;       // else it is there only to call a task whose time is over
};

}  // namespace portail::edge
