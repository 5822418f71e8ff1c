// A fair queue (RFC 970): flows take turns, however many items each of them has queued. A new item waits for at most
// one item of each other flow, and for the earlier items of its own flow. One thread at a time.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "native/server/address_range.hpp"

namespace portail::server {

// The unit of fairness: an address, or one connection of a proxy with many clients.
struct Flow {
  IpAddress address;   // an IpAddress::client_prefix()
  int connection = 0;  // not 0: the flow is this connection alone
  friend auto operator<=>(const Flow&, const Flow&) = default;
};

// Returns a number for the flow, never 0, as key for queues and counters by client. Flows with equal numbers share
// turns.
std::uint64_t flow_id_of(const Flow& flow);

// An item that can wait for a worker. Must outlive its time in a queue.
class QueueItem {
 public:
  explicit QueueItem(const Flow& flow) : flow_(flow) {}
  QueueItem(const QueueItem&) = delete;
  QueueItem& operator=(const QueueItem&) = delete;

  [[nodiscard]] const Flow& flow() const { return flow_; }

 private:
  friend class FairQueue;
  Flow flow_;
  // In the queue: the next item of the flow, and when this one was queued.
  QueueItem* next_ = nullptr;
  std::chrono::steady_clock::time_point queued_at_;
};

// An item that left the queue.
struct ReadyItem {
  QueueItem* item;
  std::chrono::steady_clock::time_point queued_at;
  bool is_last;  // the queue is empty now
};

class FairQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool is_empty() const { return active_flows_.empty(); }
  // `item` must not be in a queue.
  void push(QueueItem& item, Time now);
  // Queues `item` before the other items of its flow: for a connection that only has to be closed.
  void push_front(QueueItem& item, Time now);
  // Returns nullopt if the queue is empty.
  std::optional<ReadyItem> pop();

 private:
  struct List {
    QueueItem* first = nullptr;
    QueueItem* last = nullptr;
  };
  std::map<Flow, List> flows_;     // flows with queued items
  std::deque<Flow> active_flows_;  // each of them once, in the order of their turns
};

}  // namespace portail::server
