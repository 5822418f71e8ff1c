// The connections of an engine's loop, and the events of their sockets (epoll). A range of std::unique_ptr<Link>. For
// the loop's thread only.
//
// A Link has `connection` with has_unsent(), socket(), is_closed(), and `events`, which belongs to Links.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "core/storage/folder/descriptor.hpp"

namespace portail::engine {

template <class Link>
class Links {
 public:
  // The events of `wake` end a wait. Throws std::system_error if the process has no descriptor left.
  explicit Links(int wake) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
    if (!epoll_ || epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, wake, &event) != 0)
      throw std::system_error(errno, std::generic_category(), "connections cannot be polled");
  }

  auto begin() const { return links_.begin(); }
  auto end() const { return links_.end(); }

  // Waits for events, and calls on_ready(link, is_readable) for each connection that has one. A loop that has calls
  // with deadlines needs a timer: the wait ends after 50 ms.
  template <class OnReady>
  void wait(bool needs_timer, OnReady on_ready) {
    constexpr std::chrono::milliseconds deadline_check_interval{50};
    std::array<epoll_event, 64> events;
    const int found = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                                 needs_timer ? static_cast<int>(deadline_check_interval.count()) : -1);
    for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(std::max(found, 0)))) {
      if (auto* link = static_cast<Link*>(event.data.ptr)) on_ready(*link, (event.events & EPOLLIN) != 0);
    }
  }

  // Drops a link whose socket cannot be watched. A link does not move as long as it is here.
  void add(Link added) {
    auto link = std::make_unique<Link>(std::move(added));
    link->events = EPOLLIN;
    epoll_event event{.events = link->events, .data = {.ptr = link.get()}};
    if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, link->socket(), &event) == 0) links_.push_back(std::move(link));
  }
  // Waits for the socket to be writable as long as bytes are unsent. Call it after each use of the connection.
  void watch(Link& link) {
    const std::uint32_t events =
        link.connection.has_unsent() ? std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLIN};
    if (events == link.events) return;
    link.events = events;
    epoll_event event{.events = events, .data = {.ptr = &link}};
    epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, link.socket(), &event);
  }
  [[nodiscard]] static bool waits_to_send(const Link& link) { return link.events != EPOLLIN; }
  // Call it before the socket is closed. The link stays until it is swept.
  void unwatch(const Link& link) { epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, link.socket(), nullptr); }
  // Destroys the closed links. Call it once a turn, when no event of the turn is left.
  void sweep() {
    std::erase_if(links_, [](const auto& link) { return link->is_closed(); });
  }

  // Returns the number of links that are not closed.
  [[nodiscard]] std::size_t count_open() const {
    return static_cast<std::size_t>(std::ranges::count_if(links_, [](const auto& link) { return !link->is_closed(); }));
  }

 private:
  Descriptor epoll_;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace portail::engine
