#include "native/server/event_poll.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace portail::server {
namespace {

epoll_event event_for(void* item, bool for_writing) {
  // One-shot: until the next rearm(), no other thread gets events of this socket.
  return {.events = (for_writing ? std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLIN}) | std::uint32_t{EPOLLONESHOT},
          .data = {.ptr = item}};
}

}  // namespace

EventPoll::EventPoll(std::chrono::milliseconds interval)
    : poll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      stop_(eventfd(0, EFD_CLOEXEC)),
      wakeup_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Edge-triggered: each expiry is one event, and the next one follows only after acknowledge_tick().
  epoll_event tick_event{.events = std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}, .data = {.ptr = &timer_}};
  epoll_event stop_event{.events = EPOLLIN, .data = {.ptr = &stop_}};
  // Edge-triggered: each write wakes one worker. The counter is never read.
  epoll_event wakeup_event{.events = std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}, .data = {.ptr = &wakeup_}};
  if (!poll_ || !timer_ || !stop_ || !wakeup_ ||
      epoll_ctl(poll_.number(), EPOLL_CTL_ADD, timer_.number(), &tick_event) != 0 ||
      epoll_ctl(poll_.number(), EPOLL_CTL_ADD, stop_.number(), &stop_event) != 0 ||
      epoll_ctl(poll_.number(), EPOLL_CTL_ADD, wakeup_.number(), &wakeup_event) != 0) {
    throw std::system_error(errno, std::generic_category(), "connections cannot be polled");
  }
  const timespec period{.tv_sec = interval.count() / 1000, .tv_nsec = interval.count() % 1000 * 1'000'000};
  const itimerspec schedule{.it_interval = period, .it_value = period};
  timerfd_settime(timer_.number(), 0, &schedule, nullptr);
}

bool EventPoll::add(int socket, QueueItem& item) {
  epoll_event event = event_for(&item, false);
  return epoll_ctl(poll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

bool EventPoll::rearm(int socket, QueueItem& item, bool for_writing) {
  epoll_event event = event_for(&item, for_writing);
  return epoll_ctl(poll_.number(), EPOLL_CTL_MOD, socket, &event) == 0;
}

void EventPoll::submit(QueueItem& item) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push(item, std::chrono::steady_clock::now());
    has_queued_ = true;
  }
  wake_idle_worker();
}

EventPoll::Event EventPoll::wait() {
  std::array<epoll_event, max_events_per_wait> events;
  while (true) {
    // A producer queues before it reads idle_workers_; an idle worker increments idle_workers_ before it reads
    // has_queued_. So at least one of the two sees the other's change.
    const bool others_are_idle = idle_workers_++ > 0;
    const bool is_work_queued = has_queued_;
    if (is_work_queued) --idle_workers_;
    // While other workers are idle, they receive the other events. The last worker fetches all, so that flows take
    // turns.
    const std::size_t max = !is_work_queued && others_are_idle ? 1 : events.size();
    const auto found = poll_events(std::span(events).first(max), !is_work_queued);
    if (!is_work_queued) --idle_workers_;
    if (const auto event = dispatch(found)) return *event;
  }
}

std::span<epoll_event> EventPoll::poll_events(std::span<epoll_event> into, bool waits) {
  const int found = epoll_wait(poll_.number(), into.data(), static_cast<int>(into.size()), waits ? -1 : 0);
  return into.first(found < 0 ? 0 : static_cast<std::size_t>(found));
}

std::optional<EventPoll::Event> EventPoll::dispatch(std::span<epoll_event> found) {
  const auto now = std::chrono::steady_clock::now();
  if (found.size() == 1 && found[0].data.ptr == &timer_) return Tick{};
  if (found.size() == 1 && !has_queued_ && is_connection(found[0])) {
    return ReadyItem{.item = static_cast<QueueItem*>(found[0].data.ptr), .queued_at = now, .is_last = true};
  }
  bool is_tick = false;
  std::optional<ReadyItem> next;
  {
    const std::lock_guard lock(mutex_);
    while (true) {
      for (const epoll_event& event : found) {
        if (event.data.ptr == &stop_) return Stop{};
        is_tick |= event.data.ptr == &timer_;
        if (is_connection(event)) enqueue(event, now);
      }
      if (found.size() < max_events_per_wait) break;
      found = poll_events(found, false);
    }
    if (!is_tick) next = queue_.pop();
    has_queued_ = !queue_.is_empty();
  }
  if (has_queued_) wake_idle_worker();
  if (is_tick) return Tick{};
  if (next) return *next;
  return std::nullopt;
}

bool EventPoll::is_connection(const epoll_event& event) const {
  const void* const item = event.data.ptr;
  return item != &stop_ && item != &timer_ && item != &wakeup_;
}

void EventPoll::enqueue(const epoll_event& event, FairQueue::Time now) {
  auto& item = *static_cast<QueueItem*>(event.data.ptr);
  // Closing an ended connection frees resources, so it precedes the others of its flow.
  if ((event.events & (std::uint32_t{EPOLLHUP} | std::uint32_t{EPOLLERR})) != 0) {
    queue_.push_front(item, now);
  } else {
    queue_.push(item, now);
  }
}

void EventPoll::wake_idle_worker() {
  if (idle_workers_ > 0) eventfd_write(wakeup_.number(), 1);
}

void EventPoll::acknowledge_tick() {
  std::uint64_t count = 0;
  while (read(timer_.number(), &count, sizeof count) < 0 && errno == EINTR) {
  }
}

void EventPoll::stop() { eventfd_write(stop_.number(), 1); }

}  // namespace portail::server
