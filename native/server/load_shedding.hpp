// Sheds new work (requests and handshakes) under overload, by the time that it waited for a worker (controlled delay,
// RFC 8289). A queue that becomes empty from time to time has a burst, and all of it is served. Overload begins if the
// queue has not been empty for `interval` since an item waited longer than half of the limit. It ends when the queue is
// empty. During overload all work that waited longer than the limit is shed. Flows that take turns
// (native/server/fair_queue.hpp) wait less, so they are served. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace portail::server {

class LoadShedding {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr std::chrono::milliseconds interval{100};

  // `limit` is the queue timeout; zero disables shedding.
  explicit LoadShedding(std::chrono::milliseconds limit) : limit_(limit) {}

  // Records that a worker took an item which waited `queue_time`, and whether the queue is empty now.
  void on_dequeue(Duration queue_time, bool is_queue_empty, Time now);
  // Whether overload is in effect.
  [[nodiscard]] bool is_shedding(Time now) const;
  // Whether to shed a request or handshake that waited `queue_time`.
  [[nodiscard]] bool should_shed(Duration queue_time, Time now) const;
  // The queue time of the last item.
  [[nodiscard]] Duration queue_delay() const { return queue_delay_.load(std::memory_order_relaxed); }

  // Counts one shed request or handshake.
  void count_shed() { ++shed_; }
  [[nodiscard]] std::uint64_t shed() const { return shed_; }

 private:
  static constexpr Time never = Time::max();

  const Duration limit_;
  std::atomic<Time> above_since_ = never;
  std::atomic<Duration> queue_delay_{};
  std::atomic<std::uint64_t> shed_ = 0;
};

}  // namespace portail::server
