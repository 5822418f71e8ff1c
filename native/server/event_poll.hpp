// Linux's epoll with a fair queue, periodic ticks and a stop event. Any thread; several threads may wait concurrently,
// and each event is returned to one of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <variant>

#include <sys/epoll.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/server/fair_queue.hpp"

namespace portail::server {

class EventPoll {
 public:
  struct Tick {};
  struct Stop {};
  using Event = std::variant<Tick, Stop, ReadyItem>;

  // `interval` is that of ticks. Aborts the program if the system has no resources for the poll.
  explicit EventPoll(std::chrono::milliseconds interval);
  EventPoll(const EventPoll&) = delete;
  EventPoll& operator=(const EventPoll&) = delete;

  // Registers a socket: wait() returns `item` once, when the socket is readable and its flow has its turn. Returns
  // false, with errno, if the system refuses. Closing the socket unregisters it; `item` must outlive that.
  bool add(int socket, QueueItem& item);
  // Arms the socket again: wait() returns `item` once, when the socket is readable, or writable if `for_writing`.
  // Returns false, with errno, if the system refuses.
  bool rearm(int socket, QueueItem& item, bool for_writing);
  // Queues `item`: wait() returns it once, independently of its socket, which must not be armed.
  void submit(QueueItem& item);

  // Waits for the next event. The next Tick comes only after acknowledge_tick().
  Event wait();
  void acknowledge_tick();
  // Makes every wait() return Stop, from now on.
  void stop();

 private:
  static constexpr std::size_t max_events_per_wait = 64;

  std::span<epoll_event> poll_events(std::span<epoll_event> into, bool waits);
  // Queues the connections of `found` and returns the event for the calling worker, if any.
  std::optional<Event> dispatch(std::span<epoll_event> found);
  [[nodiscard]] bool is_connection(const epoll_event& event) const;
  void enqueue(const epoll_event& event, FairQueue::Time now);  // with mutex_ held
  void wake_idle_worker();

  Descriptor poll_;
  Descriptor timer_;
  Descriptor stop_;
  Descriptor wakeup_;                          // wakes an idle worker if the queue is not empty
  std::atomic<std::size_t> idle_workers_ = 0;  // number of workers that wait in epoll
  std::atomic<bool> has_queued_ = false;       // whether queue_ is not empty

  std::mutex mutex_;  // guards the members below
  FairQueue queue_;
};

}  // namespace portail::server
