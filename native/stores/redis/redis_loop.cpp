#include "native/stores/redis/redis_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <expected>
#include <iterator>
#include <memory>
#include <mutex>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "native/stores/redis/redis_primary.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds time_between_looks{50};  // for what is late, while anything could be
constexpr std::chrono::seconds longest_end{2};
constexpr std::chrono::seconds longest_silence_behind_sentinels{5};  // more than a write waits for replicas
constexpr std::size_t most_asked = 128;                              // at the same time on one connection
constexpr std::size_t max_keys_of_a_client = 256;                    // on one connection, or one call of more
constexpr std::size_t asked_before_another_is = 8;                   // on each connection, before another one is made

RedisFault too_late(const RedisCall& call, std::string text) {
  return {.failure = call.question.deadline.when_passed, .text = std::move(text)};
}

}  // namespace

// A connection that works, and what is asked on it, in the order of the replies.
struct RedisLoop::Link {
  RedisConnection connection;
  std::uint64_t generation = 0;
  std::uint32_t events = 0;  // that are watched
  Time heard{};              // when something came last
  std::deque<Asked> asked{};
  bool is_dead = false;  // to be removed when nothing refers to it any more
};

RedisLoop::RedisLoop(RedisUrl url, RedisConnection connection)
    : url_(std::move(url)),
      longest_silence_(url_.sentinels.empty() ? longest_engine_call : longest_silence_behind_sentinels),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      more_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      connector_([this] { return connect_to_primary(url_, usual_deadline()); },
                 [this] { eventfd_write(more_.number(), 1); }) {
  epoll_event more{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (!poll_ || !more_ || epoll_ctl(poll_.number(), EPOLL_CTL_ADD, more_.number(), &more) != 0) std::abort();
  add(std::move(connection));
  running_ = std::jthread([this] { run(); });
}

RedisLoop::~RedisLoop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(more_.number(), 1);
  running_.join();
}

void RedisLoop::submit(std::shared_ptr<RedisCall> call) {
  {
    const std::lock_guard lock(mutex_);
    submitted_.push_back(std::move(call));
  }
  eventfd_write(more_.number(), 1);
}

PoolCounts RedisLoop::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void RedisLoop::run() {
  std::array<epoll_event, 64> events;
  while (!is_done()) {
    const int wait = is_timed() ? static_cast<int>(time_between_looks.count()) : -1;
    const int found = epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), wait);
    for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(std::max(found, 0)))) {
      auto* link = static_cast<Link*>(event.data.ptr);
      if (!link) continue;
      if ((event.events & EPOLLIN) != 0) link->heard = steady_clock::now();
      look_at(*link);
    }
    take_what_is_new();
    const Time now = steady_clock::now();
    end_what_is_late(now);
    distribute(now);
    // What was asked on one connection goes out in one piece.
    for (const auto& link : links_) {
      if (link->connection.has_unsent() && link->events == EPOLLIN) look_at(*link);
    }
    std::erase_if(links_, [](const auto& link) { return link->is_dead; });
    tell();
  }
}

void RedisLoop::take_what_is_new() {
  eventfd_t count = 0;
  eventfd_read(more_.number(), &count);
  std::vector<Call> submitted;
  {
    const std::lock_guard lock(mutex_);
    submitted.swap(submitted_);
    if (stopping_ && !end_by_) end_by_ = steady_clock::now() + longest_end;
  }
  for (Call& call : submitted) {
    const std::uint64_t client = call->question.client;
    waiting_.push(client, {.call = std::move(call)});
  }
  auto made = connector_.take();
  if (!made) return;
  if (*made) {
    add(std::move(**made));
  } else {
    last_fault_ = std::move(made->error());
    last_fault_.lost = false;  // nothing was asked on it
  }
}

void RedisLoop::add(RedisConnection connection) {
  auto& link =
      links_.emplace_back(new Link{.connection = std::move(connection), .generation = generation_, .events = EPOLLIN});
  epoll_event event{.events = link->events, .data = {.ptr = link.get()}};
  if (epoll_ctl(poll_.number(), EPOLL_CTL_ADD, link->connection.socket(), &event) != 0) link->is_dead = true;
}

void RedisLoop::look_at(Link& link) {
  if (link.is_dead) return;
  std::vector<RedisReply> replies;
  const auto advanced = link.connection.advance(replies);
  for (RedisReply& reply : replies) take(link, std::move(reply));
  if (!advanced) return remove(link, advanced.error());
  watch(link);
}

void RedisLoop::take(Link& link, RedisReply reply) {
  Asked& first = link.asked.front();
  first.replies.push_back(std::move(reply));
  if (first.replies.size() < first.call->question.request.count()) return;
  Asked done = std::move(first);
  link.asked.pop_front();
  auto refusal = first_refusal(done.replies);
  if (refusal && refusal->is_replica && link.generation == generation_) ++generation_;
  if (done.is_over) return;
  if (refusal) {
    done.call->finish(std::unexpected(std::move(*refusal)));
  } else {
    done.call->finish(std::move(done.replies));
  }
}

void RedisLoop::watch(Link& link) {
  const std::uint32_t events =
      link.connection.has_unsent() ? std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLIN};
  if (events == link.events) return;
  link.events = events;
  epoll_event event{.events = events, .data = {.ptr = &link}};
  epoll_ctl(poll_.number(), EPOLL_CTL_MOD, link.connection.socket(), &event);
}

void RedisLoop::remove(Link& link, const RedisFault& fault) {
  epoll_ctl(poll_.number(), EPOLL_CTL_DEL, link.connection.socket(), nullptr);
  link.is_dead = true;
  for (Asked& asked : link.asked | std::views::reverse) {
    if (asked.is_over) continue;
    if (fault.lost && asked.call->question.effect == RedisQuestion::Effect::read && !asked.is_again) {
      const std::uint64_t client = asked.call->question.client;
      waiting_.push_front(client, {.call = std::move(asked.call), .is_again = true});
    } else {
      asked.call->finish(std::unexpected(first_refusal(asked.replies).value_or(fault)));
    }
  }
  link.asked.clear();
  if (!waiting_.empty()) eventfd_write(more_.number(), 1);
}

void RedisLoop::end_what_is_late(Time now) {
  const auto is_late = [this, now](const Asked& asked) {
    return asked.call->question.deadline.at <= now || (end_by_ && *end_by_ <= now);
  };
  for (const auto& link : links_) {
    for (Asked& asked : link->asked) {
      if (asked.is_over || !is_late(asked)) continue;
      asked.is_over = true;
      asked.call->finish(std::unexpected(too_late(*asked.call, "it takes too long")));
    }
    const bool silent = is_silent(*link, now);
    // The others to that server are not trusted either.
    if (silent && link->generation == generation_) ++generation_;
    const bool is_outdated = link->asked.empty() && link->generation != generation_;
    if (silent || is_outdated) remove(*link, {.text = "it takes too long", .lost = true});
  }
  waiting_.erase_if([&](const Asked& asked) {
    if (!is_late(asked)) return false;
    asked.call->finish(std::unexpected(too_late(*asked.call, "no connection was to be had in time")));
    return true;
  });
}

void RedisLoop::distribute(Time now) {
  if (waiting_.empty()) return;
  for (const auto& link : links_) {
    if (link->asked.empty()) look_at(*link);  // it may have ended since without our knowing
  }
  bool more_are_wanted = false;
  Link* link = nullptr;
  const auto has_a_link = [this, &link](const Asked& asked) { return (link = link_for(asked)) != nullptr; };
  while (auto asked = waiting_.pop_if(has_a_link)) {
    more_are_wanted |= link->asked.size() >= asked_before_another_is;
    start(*link, std::move(*asked), now);
  }
  more_are_wanted |= !waiting_.empty();
  if (!more_are_wanted || living_links() >= url_.pool || connector_.attempt(now)) return;
  if (std::ranges::any_of(links_, [this](const auto& link) { return is_usable(*link); })) return;
  waiting_.clear([this](const Asked& asked) { asked.call->finish(std::unexpected(last_fault_)); });
}

void RedisLoop::start(Link& link, Asked asked, Time now) {
  asked.sent = now;
  link.connection.send(asked.call->question.request);
  link.asked.push_back(std::move(asked));
}

void RedisLoop::tell() {
  PoolCounts counts{.open = living_links(), .max = url_.pool, .waiting = waiting_.size()};
  counts.busy = static_cast<std::size_t>(
      std::ranges::count_if(links_, [](const auto& link) { return !link->is_dead && !link->asked.empty(); }));
  const std::lock_guard lock(mutex_);
  counts_ = counts;
}

bool RedisLoop::is_usable(const Link& link) const {
  return !link.is_dead && link.generation == generation_ && (link.asked.empty() || !link.asked.front().is_over);
}

bool RedisLoop::is_silent(const Link& link, Time now) const {
  if (link.asked.empty()) return false;
  const Time sent = link.asked.front().sent;
  return sent + longest_engine_call <= now || std::max(sent, link.heard) + longest_silence_ <= now;
}

// The least busy one that may be used.
RedisLoop::Link* RedisLoop::link_for(const Asked& asked) {
  const RedisQuestion& question = asked.call->question;
  const bool waits = question.waits;
  if (waits && links_that_wait() + 1 >= url_.pool) return nullptr;
  Link* least = nullptr;
  for (const auto& link : links_) {
    if (!is_usable(*link) || waits_on(*link) || link->asked.size() >= (waits ? 1 : most_asked)) continue;
    if (!has_turn(*link, question)) continue;
    if (!least || link->asked.size() < least->asked.size()) least = link.get();
  }
  return least;
}

bool RedisLoop::has_turn(const Link& link, const RedisQuestion& question) {
  if (question.client == 0) return true;
  std::size_t keys = 0;
  for (const Asked& asked : link.asked) {
    if (asked.call->question.client == question.client) keys += asked.call->question.keys;
  }
  return keys == 0 || keys + question.keys <= max_keys_of_a_client;
}

bool RedisLoop::waits_on(const Link& link) { return !link.asked.empty() && link.asked.back().call->question.waits; }

std::size_t RedisLoop::links_that_wait() const {
  return static_cast<std::size_t>(std::ranges::count_if(links_, [](const auto& link) { return waits_on(*link); }));
}

std::size_t RedisLoop::living_links() const {
  return static_cast<std::size_t>(std::ranges::count_if(links_, [](const auto& link) { return !link->is_dead; }));
}

bool RedisLoop::is_timed() const {
  return end_by_ || !waiting_.empty() ||
         std::ranges::any_of(links_, [](const auto& link) { return !link->asked.empty(); });
}

bool RedisLoop::is_done() const {
  return end_by_ && waiting_.empty() && std::ranges::all_of(links_, [](const auto& link) {
           return std::ranges::all_of(link->asked, [](const Asked& asked) { return asked.is_over; });
         });
}

}  // namespace portail
