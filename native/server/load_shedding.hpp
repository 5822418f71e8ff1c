// Whether the server takes on what a client begins, or sheds it, by how long that has waited for a worker (controlled
// delay, RFC 8289, as servers use it). A queue that empties now and then holds a burst, and is served. One that has not
// been empty for an interval since something first waited for more than half of the limit is overload: from then on
// whatever waited longer than the limit is shed, until the queue is empty again. What waits less is taken all the time,
// so that a client that takes its turns (native/server/fair_queue.hpp) does not pay for the many requests of another.
// Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace portail {

class LoadShedding {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr std::chrono::milliseconds interval{100};

  // How long something may wait; zero: nothing is ever shed.
  explicit LoadShedding(std::chrono::milliseconds limit) : limit_(limit) {}

  // A worker has taken something that had waited so long, and whether the queue is empty now.
  void taken(Duration waited, bool leaves_none, Time now);
  // Whether anything is shed now: what waits longer than the limit.
  [[nodiscard]] bool sheds(Time now) const;
  // Whether it is shed where it begins something: a request, or a handshake.
  [[nodiscard]] bool sheds(Duration waited, Time now) const;
  // How long the last that was taken had waited.
  [[nodiscard]] Duration delay() const { return delay_.load(std::memory_order_relaxed); }

  // Something was shed; how often that was.
  void count() { ++shed_; }
  [[nodiscard]] std::uint64_t shed() const { return shed_; }

 private:
  static constexpr Time never = Time::max();

  const Duration limit_;
  std::atomic<Time> above_since_ = never;
  std::atomic<Duration> delay_{};
  std::atomic<std::uint64_t> shed_ = 0;
};

}  // namespace portail
