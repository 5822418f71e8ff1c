// Which of the connections can go on, and whose turn it is: Linux's epoll behind a fair queue, with a tick of its own
// and an end. Any thread; several may wait at the same time, and each event goes to one of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <variant>

#include <sys/epoll.h>

#include "core/files/descriptor.hpp"
#include "native/server/fair_queue.hpp"

namespace portail {

class EventPoll {
 public:
  struct Tick {};
  struct End {};
  using Event = std::variant<Tick, End, Turn>;

  // Ticks as often; ends the program where the machine has no room for the poll itself.
  explicit EventPoll(std::chrono::milliseconds interval);
  EventPoll(const EventPoll&) = delete;
  EventPoll& operator=(const EventPoll&) = delete;

  // Reports `what` once, when the socket can be read from and its claimant's turn has come; false, with errno, where
  // the machine has no room for it. A socket is forgotten when it is closed; `what` outlives that.
  bool add(int socket, Queued& what);
  // Reports it once more, when the socket can be read from or written to; false, with errno, where the system does not.
  bool watch(int socket, Queued& what, bool for_writing);
  // Reports it once more, whatever its socket does; not while it is watched.
  void report(Queued& what);

  // Waits for the next event. A Tick must be acknowledged, and comes again only then.
  Event wait();
  void acknowledge_tick();
  // From now on every wait ends with End.
  void end();

 private:
  static constexpr std::size_t looked_at_together = 64;

  std::span<epoll_event> look(std::span<epoll_event> into, bool waits);
  // What the worker gets that found these, which may be nothing; the others wait for their turns.
  std::optional<Event> take(std::span<epoll_event> found);
  [[nodiscard]] bool is_connection(const epoll_event& event) const;
  void queue(const epoll_event& event, FairQueue::Time now);  // with mutex_ held
  void wake_another();

  Descriptor poll_;
  Descriptor ticks_;
  Descriptor end_;
  Descriptor more_;                      // tells an idle worker that something is queued
  std::atomic<std::size_t> idle_ = 0;    // workers that wait in epoll
  std::atomic<bool> is_queued_ = false;  // whether ready_ holds something

  std::mutex mutex_;  // for what follows
  FairQueue ready_;
};

}  // namespace portail
