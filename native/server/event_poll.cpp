#include "native/server/event_poll.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

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
      end_(eventfd(0, EFD_CLOEXEC)),
      more_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!poll_ || !ticks_ || !end_ || !more_) std::abort();
  const timespec every{.tv_sec = interval.count() / 1000, .tv_nsec = interval.count() % 1000 * 1'000'000};
  const itimerspec schedule{.it_interval = every, .it_value = every};
  timerfd_settime(ticks_.number(), 0, &schedule, nullptr);
  epoll_event ticked = event_for(&ticks_, false);
  epoll_ctl(poll_.number(), EPOLL_CTL_ADD, ticks_.number(), &ticked);
  epoll_event ended{.events = EPOLLIN, .data = {.ptr = &end_}};
  epoll_ctl(poll_.number(), EPOLL_CTL_ADD, end_.number(), &ended);
  // By edges: each write wakes one worker, and nobody reads.
  epoll_event more{.events = std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}, .data = {.ptr = &more_}};
  epoll_ctl(poll_.number(), EPOLL_CTL_ADD, more_.number(), &more);
}

bool EventPoll::add(int socket, Queued& what) {
  epoll_event event = event_for(&what, false);
  return epoll_ctl(poll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

void EventPoll::watch(int socket, Queued& what, bool for_writing) {
  epoll_event event = event_for(&what, for_writing);
  epoll_ctl(poll_.number(), EPOLL_CTL_MOD, socket, &event);
}

void EventPoll::report(Queued& what) {
  const std::lock_guard lock(mutex_);
  ready_.push(what, std::chrono::steady_clock::now());
  wake_another();
}

EventPoll::Event EventPoll::wait() {
  std::unique_lock lock(mutex_);
  while (true) {
    gather(lock);
    if (ended_) return End{};
    const bool ticked = std::exchange(ticked_, false);
    Queued* const next = ticked ? nullptr : ready_.pop();
    if (!ready_.is_empty()) wake_another();
    if (ticked) return Tick{};
    if (next) return next;
  }
}

void EventPoll::gather(std::unique_lock<std::mutex>& lock) {
  std::array<epoll_event, 64> events;
  std::size_t count = 0;
  do {
    const bool idle = ready_.is_empty() && !ticked_ && !ended_;
    idle_ += idle ? 1 : 0;
    lock.unlock();
    const int found = epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), idle ? -1 : 0);
    lock.lock();
    idle_ -= idle ? 1 : 0;
    count = found < 0 ? 0 : static_cast<std::size_t>(found);
    const auto now = std::chrono::steady_clock::now();
    for (const epoll_event& event : std::span(events).first(count)) {
      void* const what = event.data.ptr;
      if (what == &more_) continue;
      if (what == &end_) {
        ended_ = true;
      } else if (what == &ticks_) {
        ticked_ = true;
      } else if ((event.events & (std::uint32_t{EPOLLHUP} | std::uint32_t{EPOLLERR})) != 0) {
        // Its connection has ended: it makes room, so it goes before its claimant's others.
        ready_.push_ahead(*static_cast<Queued*>(what), now);
      } else {
        ready_.push(*static_cast<Queued*>(what), now);
      }
    }
  } while (count == events.size());
}

void EventPoll::wake_another() {
  if (idle_ > 0) eventfd_write(more_.number(), 1);
}

void EventPoll::acknowledge_tick() {
  std::uint64_t count = 0;
  if (read(ticks_.number(), &count, sizeof count) < 0 && errno != EAGAIN) std::abort();
  epoll_event ticked = event_for(&ticks_, false);
  epoll_ctl(poll_.number(), EPOLL_CTL_MOD, ticks_.number(), &ticked);
}

void EventPoll::end() { eventfd_write(end_.number(), 1); }

}  // namespace portail
