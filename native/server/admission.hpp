// How many connections a server takes: its counters, its limits, and what it refuses under load.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "native/server/address_range.hpp"

namespace portail::server {

// Connection counters of a server. Values.

struct ConnectionCounts {
  std::size_t open = 0;
  std::size_t max = 0;           // limit of `open`
  std::uint64_t accepted = 0;    // since startup
  std::uint64_t rejected = 0;    // since startup: over a connection limit
  std::size_t unsent_bytes = 0;  // approximate memory of answers that clients have not received yet
};

// The default number of workers. Pure; any thread.

// Two workers for each processor: more would only alternate, and hide queueing. At least four, because a worker also
// waits for the disk.
constexpr std::size_t default_workers(unsigned processors) {
  constexpr std::size_t min_workers = 4;
  return std::max(std::size_t{2} * processors, min_workers);
}

// Limits the number of connections, in total and for each address. One thread at a time.

struct AdmissionLimits {
  std::size_t max_connections = 8192;
  std::size_t max_per_address = 512;  // an IPv6 /64 network counts as one address
};

class Admission {
 public:
  explicit Admission(AdmissionLimits limits) : limits_(limits) {}

  // Counts a connection and returns true, or returns false if a limit is reached. An exempt connection, that of a
  // trusted proxy, counts only towards the total.
  bool admit(const IpAddress& address, bool exempt);
  // Releases an admitted connection; the arguments are those of admit().
  void release(const IpAddress& address, bool exempt);
  [[nodiscard]] std::size_t max() const { return limits_.max_connections; }

 private:
  AdmissionLimits limits_;
  std::size_t connections_ = 0;
  std::map<IpAddress, std::size_t> by_address_;
};

// How long items waited: a histogram. Any thread; its numbers may be of different instants. It has cache lines of its
// own, since each item changes it.
class alignas(64) QueueTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;
  // The upper bounds of the buckets, in microseconds; the last bucket has no bound.
  static constexpr std::array bounds{10,   50,     100,    250,    500,     1000,     2500,
                                     5000, 10'000, 25'000, 50'000, 100'000, 1'000'000};

  void add(Duration time);
  // Returns the number of items of bucket `index`, up to bounds.size().
  [[nodiscard]] std::uint64_t count(std::size_t index) const { return counts_.at(index); }
  [[nodiscard]] Duration sum() const { return Duration(sum_); }

 private:
  std::array<std::atomic<std::uint64_t>, bounds.size() + 1> counts_{};
  std::atomic<Duration::rep> sum_ = 0;
};

// Sheds new work (requests and handshakes) under overload, by the time that it waited for a worker (controlled delay,
// RFC 8289). A queue that becomes empty from time to time has a burst, and all of it is served. Overload begins if the
// queue has not been empty for `interval` since an item waited longer than half of the limit. It ends when the queue is
// empty. During overload all work that waited longer than the limit is shed. Flows that take turns
// (native/server/fair_queue.hpp) wait less, so they are served. Any thread.

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
  [[nodiscard]] const QueueTimes& queue_times() const { return queue_times_; }

  // Counts one shed request or handshake.
  void count_shed() { ++shed_; }
  [[nodiscard]] std::uint64_t shed() const { return shed_; }

 private:
  static constexpr Time never = Time::max();

  const Duration limit_;
  std::atomic<Time> above_since_ = never;
  QueueTimes queue_times_;
  std::atomic<std::uint64_t> shed_ = 0;
};

}  // namespace portail::server
