// Which of the connections can go on, and whose turn it is: Linux's epoll behind a fair queue, with a tick of its own
// and an end. Any thread; several may wait at the same time, and each event goes to one of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <variant>

#include "core/files/descriptor.hpp"
#include "native/server/fair_queue.hpp"

namespace portail {

class EventPoll {
 public:
  struct Tick {};
  struct End {};
  using Event = std::variant<Tick, End, Queued*>;

  // Ticks as often; ends the program where the machine has no more descriptors.
  explicit EventPoll(std::chrono::milliseconds interval);
  EventPoll(const EventPoll&) = delete;
  EventPoll& operator=(const EventPoll&) = delete;

  // Reports `what` once, when the socket can be read from and its claimant's turn has come; false where the machine has
  // no room for it. A socket is forgotten when it is closed; `what` outlives that.
  bool add(int socket, Queued& what);
  // Reports it once more, when the socket can be read from or written to.
  void watch(int socket, Queued& what, bool for_writing);
  // Reports it once more, whatever its socket does; not while it is watched.
  void report(Queued& what);

  // Waits for the next event. A Tick must be acknowledged, and comes again only then.
  Event wait();
  void acknowledge_tick();
  // From now on every wait ends with End.
  void end();

 private:
  // Puts into the queue what is ready by now; where nothing waits there, first waits until something is.
  void gather(std::unique_lock<std::mutex>& lock);
  void wake_another();  // with mutex_ held

  Descriptor poll_;
  Descriptor ticks_;
  Descriptor end_;
  Descriptor more_;  // tells an idle worker that the queue holds something

  std::mutex mutex_;  // for what follows
  FairQueue ready_;
  bool ticked_ = false;
  bool ended_ = false;
  std::size_t idle_ = 0;  // workers that wait in epoll
};

}  // namespace portail
