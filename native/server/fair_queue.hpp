// Who is next, where more waits than there are workers: every claimant in turn, whatever the number of things each has
// waiting (fair queueing, RFC 970). A new item waits for at most one item of every other claimant in the queue, and for
// earlier ones of its own claimant. One thread at a time.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "native/server/address_range.hpp"

namespace portail {

// On whose behalf a worker works. An address is one claimant; each connection of a proxy, which many clients stand
// behind, is another.
struct Claimant {
  IpAddress address;   // as IpAddress::customer() gives it
  int connection = 0;  // where each counts by itself: not 0
  friend auto operator<=>(const Claimant&, const Claimant&) = default;
};

// The claimant as a number, never 0, for what is counted or queued by client elsewhere. A collision of two claimants
// has them share their turns.
std::uint64_t number_of(const Claimant& claimant);

// Something that may wait for a worker. Outlives its time in a queue.
class Queued {
 public:
  explicit Queued(const Claimant& claimant) : claimant_(claimant) {}
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;

  [[nodiscard]] const Claimant& claimant() const { return claimant_; }

 private:
  friend class FairQueue;
  Claimant claimant_;
  // In the queue: the next of this claimant, and since when it waits.
  Queued* behind_ = nullptr;
  std::chrono::steady_clock::time_point queued_at_;
};

// What goes on now.
struct Turn {
  Queued* what;
  std::chrono::steady_clock::time_point queued_at;  // since when it waited
  bool is_last;                                     // nothing else waits
};

class FairQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool is_empty() const { return turns_.empty(); }
  // `what` is in no queue.
  void push(Queued& what, Time now);
  // Before what its claimant has waiting: for what only ends, and makes room.
  void push_ahead(Queued& what, Time now);
  // Nothing where the queue is empty.
  std::optional<Turn> pop();

 private:
  struct Line {
    Queued* first = nullptr;
    Queued* last = nullptr;
  };
  std::map<Claimant, Line> lines_;  // of those who have something waiting
  std::deque<Claimant> turns_;      // each of them once, the next one first
};

}  // namespace portail
