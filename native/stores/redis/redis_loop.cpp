#include "native/stores/redis/redis_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "native/stores/redis/redis_primary.hpp"

namespace portail::redis {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds shutdown_timeout{2};
constexpr std::chrono::seconds sentinel_silence_timeout{5};  // more than a write waits for replicas
constexpr std::size_t max_in_flight = 128;                   // calls on one connection
constexpr std::size_t max_keys_per_client = 256;             // in flight on one connection, or one call with more
constexpr std::size_t in_flight_before_next_connection = 8;  // calls on each connection before another one is opened

Fault timed_out(const Call& call, std::string text) {
  return {.failure = call.query.deadline.on_expiry, .message = std::move(text)};
}

}  // namespace

// A connection, and the calls in flight on it, in the order of their replies.
struct Loop::Link {
  [[nodiscard]] int socket() const { return connection.socket(); }
  [[nodiscard]] bool is_closed() const { return was_removed; }

  Connection connection;
  std::uint64_t generation = 0;
  std::uint32_t events = 0;
  Time last_received{};
  std::deque<PendingCall> in_flight{};
  bool was_removed = false;  // and is destroyed at the end of the loop's turn
};

Loop::Loop(Url url, Connection connection)
    : url_(std::move(url)),
      silence_timeout_(url_.sentinels.empty() ? engine::call_timeout : sentinel_silence_timeout),
      connector_([this] { return connect_to_primary(url_, engine::default_deadline()); }, [this] { inbox_.wake(); }),
      links_(inbox_.descriptor()) {
  add(std::move(connection));
  thread_ = std::jthread([this] { run(); });
}

Loop::~Loop() {
  inbox_.stop();
  thread_.join();
}

void Loop::run() {
  while (!is_finished()) {
    links_.wait(needs_timer(), [this](Link& link, bool is_readable) {
      if (is_readable) link.last_received = steady_clock::now();
      on_ready(link);
    });
    take_submissions();
    take_connection();
    const Time now = steady_clock::now();
    expire_deadlines(now);
    dispatch(now);
    // Sends the requests that were started on one connection together.
    for (const auto& link : links_) {
      if (link->connection.has_unsent() && !links_.waits_to_send(*link)) on_ready(*link);
    }
    links_.sweep();
    publish_counts();
  }
}

void Loop::take_submissions() {
  auto taken = inbox_.take();
  if (taken.is_stopping && !shutdown_deadline_) shutdown_deadline_ = steady_clock::now() + shutdown_timeout;
  for (CallPtr& call : taken.items) {
    const std::uint64_t client = call->query.client;
    queue_.push(client, {.call = std::move(call)});
  }
}

void Loop::take_connection() {
  auto outcome = connector_.poll_outcome();
  if (!outcome) return;
  if (*outcome) {
    add(std::move(**outcome));
  } else {
    connect_fault_ = std::move(outcome->error());
    connect_fault_.connection_lost = false;  // no request was sent on it
    connect_failed_at_ = steady_clock::now();
  }
}

void Loop::add(Connection connection) { links_.add({.connection = std::move(connection), .generation = generation_}); }

void Loop::on_ready(Link& link) {
  if (link.is_closed()) return;
  std::vector<Reply> replies;
  const auto advanced = link.connection.advance(replies);
  for (Reply& reply : replies) on_reply(link, std::move(reply));
  if (!advanced) return remove(link, advanced.error());
  links_.watch(link);
}

void Loop::on_reply(Link& link, Reply reply) {
  PendingCall& oldest = link.in_flight.front();
  oldest.replies.push_back(std::move(reply));
  if (oldest.replies.size() < oldest.call->query.request.count()) return;
  PendingCall done = std::move(oldest);
  link.in_flight.pop_front();
  last_response_ = steady_clock::now();
  auto fault = first_fault(done.replies);
  if (fault && fault->is_replica && link.generation == generation_) ++generation_;
  if (done.is_expired) return;
  if (fault) {
    done.call->complete(std::unexpected(std::move(*fault)));
  } else {
    done.call->complete(std::move(done.replies));
  }
}

void Loop::remove(Link& link, const Fault& fault) {
  links_.unwatch(link);
  link.was_removed = true;
  for (PendingCall& pending : link.in_flight | std::views::reverse) {
    if (pending.is_expired) continue;
    if (fault.connection_lost && pending.call->query.effect == Query::Effect::read && !pending.is_retry) {
      const std::uint64_t client = pending.call->query.client;
      queue_.push_front(client, {.call = std::move(pending.call), .is_retry = true});
    } else {
      pending.call->complete(std::unexpected(first_fault(pending.replies).value_or(fault)));
    }
  }
  link.in_flight.clear();
  if (!queue_.empty()) inbox_.wake();
}

void Loop::expire_deadlines(Time now) {
  const auto must_expire = [this, now](const PendingCall& pending) {
    return pending.call->query.deadline.at <= now || (shutdown_deadline_ && *shutdown_deadline_ <= now);
  };
  for (const auto& link : links_) {
    for (PendingCall& pending : link->in_flight) {
      if (pending.is_expired || !must_expire(pending)) continue;
      pending.is_expired = true;
      pending.call->complete(std::unexpected(timed_out(*pending.call, "timed out")));
    }
    const bool silent = is_silent(*link, now);
    // The other connections to that server may be lost too.
    if (silent && link->generation == generation_) ++generation_;
    const bool is_outdated = link->in_flight.empty() && link->generation != generation_;
    if (silent || is_outdated) remove(*link, {.message = "timed out", .connection_lost = true});
  }
  queue_.erase_if([&](const PendingCall& pending) {
    if (!must_expire(pending)) return false;
    pending.call->complete(std::unexpected(timed_out(*pending.call, "timed out waiting for a connection")));
    return true;
  });
}

void Loop::dispatch(Time now) {
  if (queue_.empty()) return;
  for (const auto& link : links_) {
    if (link->in_flight.empty()) on_ready(*link);  // the server may have closed it since
  }
  bool needs_connection = false;
  Link* link = nullptr;
  const auto has_link = [this, &link](const PendingCall& pending) { return (link = find_link(pending)) != nullptr; };
  while (auto pending = queue_.pop_if(has_link)) {
    needs_connection |= link->in_flight.size() >= in_flight_before_next_connection;
    start(*link, std::move(*pending), now);
  }
  needs_connection |= !queue_.empty();
  if (!needs_connection || links_.count_open() >= url_.pool || connector_.start_attempt(now)) return;
  if (std::ranges::any_of(links_, [this](const auto& open) { return is_usable(*open); })) return;
  // The server responded after the failed attempt: the next one decides.
  if (last_response_ > connect_failed_at_) return;
  queue_.clear([this](const PendingCall& pending) { pending.call->complete(std::unexpected(connect_fault_)); });
}

void Loop::start(Link& link, PendingCall pending, Time now) {
  pending.sent = now;
  link.connection.send(pending.call->query.request);
  link.in_flight.push_back(std::move(pending));
}

void Loop::publish_counts() {
  PoolCounts counts{.open = links_.count_open(), .max = url_.pool, .waiting = queue_.size()};
  counts.busy = static_cast<std::size_t>(
      std::ranges::count_if(links_, [](const auto& link) { return !link->is_closed() && !link->in_flight.empty(); }));
  inbox_.publish(counts);
}

bool Loop::is_usable(const Link& link) const {
  return !link.is_closed() && link.generation == generation_ &&
         (link.in_flight.empty() || !link.in_flight.front().is_expired);
}

bool Loop::is_silent(const Link& link, Time now) const {
  if (link.in_flight.empty()) return false;
  const Time sent = link.in_flight.front().sent;
  return sent + engine::call_timeout <= now || std::max(sent, link.last_received) + silence_timeout_ <= now;
}

// Returns the usable connection with the fewest calls in flight; null if there is none.
Loop::Link* Loop::find_link(const PendingCall& pending) {
  const Query& query = pending.call->query;
  const bool blocks = query.waits_for_replicas;
  if (blocks && blocked_links() + 1 >= url_.pool) return nullptr;
  Link* best = nullptr;
  for (const auto& link : links_) {
    if (!is_usable(*link) || is_blocked(*link) || link->in_flight.size() >= (blocks ? 1 : max_in_flight)) continue;
    if (!is_within_share(*link, query)) continue;
    if (!best || link->in_flight.size() < best->in_flight.size()) best = link.get();
  }
  return best;
}

bool Loop::is_within_share(const Link& link, const Query& query) {
  if (query.client == 0) return true;
  std::size_t keys = 0;
  for (const PendingCall& pending : link.in_flight) {
    if (pending.call->query.client == query.client) keys += pending.call->query.keys;
  }
  return keys == 0 || keys + query.keys <= max_keys_per_client;
}

bool Loop::is_blocked(const Link& link) {
  return !link.in_flight.empty() && link.in_flight.back().call->query.waits_for_replicas;
}

std::size_t Loop::blocked_links() const {
  return static_cast<std::size_t>(std::ranges::count_if(links_, [](const auto& link) { return is_blocked(*link); }));
}

bool Loop::needs_timer() const {
  return shutdown_deadline_ || !queue_.empty() ||
         std::ranges::any_of(links_, [](const auto& link) { return !link->in_flight.empty(); });
}

bool Loop::is_finished() const {
  return shutdown_deadline_ && queue_.empty() && std::ranges::all_of(links_, [](const auto& link) {
           return std::ranges::all_of(link->in_flight, [](const PendingCall& pending) { return pending.is_expired; });
         });
}

}  // namespace portail::redis
