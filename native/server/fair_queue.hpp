// Who is next, where more waits than there are workers: every claimant in turn, whatever the number of things each has
// waiting (fair queueing, RFC 970). Whoever comes waits for one thing at most of every other claimant that is there,
// and for their own that came before. One thread at a time.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <deque>
#include <map>

#include "native/server/address_range.hpp"

namespace portail {

// On whose behalf a worker works. An address is one claimant; each connection of a proxy, which many clients stand
// behind, is another.
struct Claimant {
  IpAddress address;   // as IpAddress::customer() gives it
  int connection = 0;  // where each counts by itself: not 0
  friend auto operator<=>(const Claimant&, const Claimant&) = default;
};

// Something that may wait for a worker. Outlives its time in a queue.
class Queued {
 public:
  explicit Queued(const Claimant& claimant) : claimant_(claimant) {}
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;

  [[nodiscard]] const Claimant& claimant() const { return claimant_; }
  // By whoever took it from a queue: since when it was there, how many things of its claimant it left behind, and
  // whether it left none of anybody.
  [[nodiscard]] std::chrono::steady_clock::time_point queued_at() const { return queued_at_; }
  [[nodiscard]] std::size_t left_behind() const { return left_behind_; }
  [[nodiscard]] bool was_last() const { return was_last_; }

 private:
  friend class FairQueue;
  Claimant claimant_;
  Queued* behind_ = nullptr;  // the next of this claimant, in the queue
  std::chrono::steady_clock::time_point queued_at_;
  std::size_t left_behind_ = 0;
  bool was_last_ = false;
};

class FairQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool is_empty() const { return turns_.empty(); }
  // `what` is in no queue.
  void push(Queued& what, Time now);
  // Before what its claimant has waiting: for what only ends, and makes room.
  void push_ahead(Queued& what, Time now);
  // Null where the queue is empty.
  Queued* pop();
  // As if it had been pushed to an empty queue, and popped.
  static void pass(Queued& what, Time now);

 private:
  struct Line {
    Queued* first = nullptr;
    Queued* last = nullptr;
    std::size_t length = 0;
  };
  std::map<Claimant, Line> lines_;  // of those who have something waiting
  std::deque<Claimant> turns_;      // each of them once, the next one first
};

}  // namespace portail
