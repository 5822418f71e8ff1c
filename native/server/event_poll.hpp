// Which of the connections can go on: Linux's epoll, with a tick of its own and an end. Any thread; several may wait at
// the same time, and each event goes to one of them.
#pragma once

#include <chrono>
#include <variant>

#include "core/files/descriptor.hpp"

namespace portail {

class EventPoll {
 public:
  struct Tick {};
  struct End {};
  using Event = std::variant<Tick, End, void*>;

  // Ticks as often; ends the program where the machine has no more descriptors.
  explicit EventPoll(std::chrono::milliseconds interval);
  EventPoll(const EventPoll&) = delete;
  EventPoll& operator=(const EventPoll&) = delete;

  // Reports `what` once, when the socket can be read from; false where the machine has no room for it. A socket is
  // forgotten when it is closed.
  bool add(int socket, void* what);
  // Reports it once more, when the socket can be read from or written to.
  void watch(int socket, void* what, bool for_writing);

  // Waits for the next event. A Tick must be acknowledged, and comes again only then.
  Event wait();
  void acknowledge_tick();
  // From now on every wait ends with End.
  void end();

 private:
  Descriptor poll_;
  Descriptor ticks_;
  Descriptor end_;
};

}  // namespace portail
