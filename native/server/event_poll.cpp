#include "native/server/event_poll.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>

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
  // By edges: each expiry is one event, and the next comes only once this one is acknowledged.
  epoll_event ticked{.events = std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}, .data = {.ptr = &ticks_}};
  epoll_event ended{.events = EPOLLIN, .data = {.ptr = &end_}};
  // By edges too: each write wakes one worker, and the counter is never read.
  epoll_event more{.events = std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}, .data = {.ptr = &more_}};
  if (!poll_ || !ticks_ || !end_ || !more_ || epoll_ctl(poll_.number(), EPOLL_CTL_ADD, ticks_.number(), &ticked) != 0 ||
      epoll_ctl(poll_.number(), EPOLL_CTL_ADD, end_.number(), &ended) != 0 ||
      epoll_ctl(poll_.number(), EPOLL_CTL_ADD, more_.number(), &more) != 0) {
    std::abort();
  }
  const timespec every{.tv_sec = interval.count() / 1000, .tv_nsec = interval.count() % 1000 * 1'000'000};
  const itimerspec schedule{.it_interval = every, .it_value = every};
  timerfd_settime(ticks_.number(), 0, &schedule, nullptr);
}

bool EventPoll::add(int socket, Queued& what) {
  epoll_event event = event_for(&what, false);
  return epoll_ctl(poll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

bool EventPoll::watch(int socket, Queued& what, bool for_writing) {
  epoll_event event = event_for(&what, for_writing);
  return epoll_ctl(poll_.number(), EPOLL_CTL_MOD, socket, &event) == 0;
}

void EventPoll::report(Queued& what) {
  {
    const std::lock_guard lock(mutex_);
    ready_.push(what, std::chrono::steady_clock::now());
    is_queued_ = true;
  }
  wake_another();
}

EventPoll::Event EventPoll::wait() {
  std::array<epoll_event, looked_at_together> events;
  while (true) {
    // Who queues something looks for idle workers afterwards, and an idle worker looks at the queue after it says so:
    // one of the two sees the other.
    const bool others_are_idle = idle_++ > 0;
    const bool queued = is_queued_;
    if (queued) --idle_;
    // As long as other workers are idle they have what else is ready; the last one sees to it that turns are taken.
    const std::size_t max = !queued && others_are_idle ? 1 : events.size();
    const auto found = look(std::span(events).first(max), !queued);
    if (!queued) --idle_;
    if (const auto event = take(found)) return *event;
  }
}

std::span<epoll_event> EventPoll::look(std::span<epoll_event> into, bool waits) {
  const int found = epoll_wait(poll_.number(), into.data(), static_cast<int>(into.size()), waits ? -1 : 0);
  return into.first(found < 0 ? 0 : static_cast<std::size_t>(found));
}

std::optional<EventPoll::Event> EventPoll::take(std::span<epoll_event> found) {
  const auto now = std::chrono::steady_clock::now();
  if (found.size() == 1 && found[0].data.ptr == &ticks_) return Tick{};
  if (found.size() == 1 && !is_queued_ && is_connection(found[0])) {
    return Turn{.what = static_cast<Queued*>(found[0].data.ptr), .queued_at = now, .is_last = true};
  }
  bool ticked = false;
  std::optional<Turn> next;
  {
    const std::lock_guard lock(mutex_);
    while (true) {
      for (const epoll_event& event : found) {
        if (event.data.ptr == &end_) return End{};
        ticked |= event.data.ptr == &ticks_;
        if (is_connection(event)) queue(event, now);
      }
      if (found.size() < looked_at_together) break;
      found = look(found, false);
    }
    if (!ticked) next = ready_.pop();
    is_queued_ = !ready_.is_empty();
  }
  if (is_queued_) wake_another();
  if (ticked) return Tick{};
  if (next) return *next;
  return std::nullopt;
}

bool EventPoll::is_connection(const epoll_event& event) const {
  const void* const what = event.data.ptr;
  return what != &end_ && what != &ticks_ && what != &more_;
}

void EventPoll::queue(const epoll_event& event, FairQueue::Time now) {
  auto& what = *static_cast<Queued*>(event.data.ptr);
  // A connection that has ended makes room, so it goes before its claimant's others.
  if ((event.events & (std::uint32_t{EPOLLHUP} | std::uint32_t{EPOLLERR})) != 0) {
    ready_.push_ahead(what, now);
  } else {
    ready_.push(what, now);
  }
}

void EventPoll::wake_another() {
  if (idle_ > 0) eventfd_write(more_.number(), 1);
}

void EventPoll::acknowledge_tick() {
  std::uint64_t count = 0;
  while (read(ticks_.number(), &count, sizeof count) < 0 && errno == EINTR) {
  }
}

void EventPoll::end() { eventfd_write(end_.number(), 1); }

}  // namespace portail
