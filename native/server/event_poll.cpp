#include "native/server/event_poll.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace portail {
namespace {

epoll_event event_for(void* what, bool for_writing) {
  // Once: until it is watched again, what the socket does concerns only the thread that got the event.
  return {.events = (for_writing ? std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLIN}) | std::uint32_t{EPOLLONESHOT},
          .data = {.ptr = what}};
}

}  // namespace

EventPoll::EventPoll(std::chrono::milliseconds interval)
    : poll_(epoll_create1(EPOLL_CLOEXEC)),
      ticks_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      end_(eventfd(0, EFD_CLOEXEC)) {
  if (!poll_ || !ticks_ || !end_) std::abort();
  const timespec every{.tv_sec = interval.count() / 1000, .tv_nsec = interval.count() % 1000 * 1'000'000};
  const itimerspec schedule{.it_interval = every, .it_value = every};
  timerfd_settime(ticks_.number(), 0, &schedule, nullptr);
  add(ticks_.number(), &ticks_);
  epoll_event ended{.events = EPOLLIN, .data = {.ptr = &end_}};
  epoll_ctl(poll_.number(), EPOLL_CTL_ADD, end_.number(), &ended);
}

bool EventPoll::add(int socket, void* what) {
  epoll_event event = event_for(what, false);
  return epoll_ctl(poll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

void EventPoll::watch(int socket, void* what, bool for_writing) {
  epoll_event event = event_for(what, for_writing);
  epoll_ctl(poll_.number(), EPOLL_CTL_MOD, socket, &event);
}

EventPoll::Event EventPoll::wait() {
  epoll_event event;
  while (epoll_wait(poll_.number(), &event, 1, -1) != 1) {
  }
  void* const what = event.data.ptr;
  if (what == &end_) return End{};
  if (what == &ticks_) return Tick{};
  return what;
}

void EventPoll::acknowledge_tick() {
  std::uint64_t count = 0;
  if (read(ticks_.number(), &count, sizeof count) < 0 && errno != EAGAIN) std::abort();
  watch(ticks_.number(), &ticks_, false);
}

void EventPoll::end() { eventfd_write(end_.number(), 1); }

}  // namespace portail
