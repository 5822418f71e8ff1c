#include "native/stores/postgres/postgres_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <variant>

#include <fcntl.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/postgres/postgres_table.hpp"

namespace portail::postgres {
namespace {

using std::chrono::seconds, std::chrono::steady_clock;

constexpr seconds contended_idle_timeout{1};
constexpr seconds silence_timeout{1};  // of a server with a statement in flight
constexpr seconds replacement_interval{1};
constexpr seconds shutdown_timeout{2};  // also for the end of a transaction and for a cancellation
constexpr int max_attempts = 10;        // of a statement that lost a race

Fault timed_out(const engine::Deadline& deadline, std::string text) {
  return {.failure = deadline.on_expiry, .message = std::move(text)};
}

}  // namespace

Loop::Loop(Url url, Connection connection)
    : url_(std::move(url)),
      requires_primary_(url_.requires_primary()),
      connector_([this] { return connect(); }, [this] { inbox_.wake(); }),
      links_(inbox_.descriptor()) {
  add(std::move(connection));
  thread_ = std::jthread([this] { run(); });
}

Loop::~Loop() {
  inbox_.stop();
  thread_.join();
}

std::expected<Connection, Fault> Loop::connect() const {
  auto connection = Connection::open(url_);
  if (connection) {
    if (auto prepared = prepare(*connection, url_.table); !prepared) return std::unexpected(prepared.error());
  }
  return connection;
}

void Loop::run() {
  while (!is_finished()) {
    links_.wait(needs_timer(), [this](Link& link, bool) { on_ready(link); });
    take_submissions();
    take_connection();
    const Time now = steady_clock::now();
    expire_deadlines(now);
    dispatch(now);
    links_.sweep();
    publish_counts();
  }
}

void Loop::take_submissions() {
  auto taken = inbox_.take();
  if (taken.is_stopping && !shutdown_deadline_) shutdown_deadline_ = steady_clock::now() + shutdown_timeout;
  for (auto& item : taken.items) {
    if (auto* const call = std::get_if<CallPtr>(&item)) {
      enqueue(std::move(*call));
    } else {
      end_lease(std::get<ReleasedLease>(item));
    }
  }
}

void Loop::take_connection() {
  auto outcome = connector_.poll_outcome();
  if (!outcome) return;
  if (*outcome) {
    add(std::move(**outcome));
    connect_fault_.reset();
  } else {
    connect_fault_ = std::move(outcome->error());
    connect_fault_->connection_lost = false;  // no statement was sent on it
    connect_failed_at_ = steady_clock::now();
  }
}

void Loop::add(Connection connection) {
  Descriptor watched(fcntl(connection.socket(), F_DUPFD_CLOEXEC, 0));
  links_.add({.connection = std::move(connection), .generation = generation_, .watched = std::move(watched)});
}

void Loop::enqueue(CallPtr call) {
  const Query& query = call->query;
  if (query.kind != Query::Kind::in_lease) {
    const std::size_t level =
        query.kind == Query::Kind::begin ? PendingCalls::another_transaction : PendingCalls::single_statement;
    const std::uint64_t client = query.client;
    pending_.queue(holds_lease(query.request_id) ? level : PendingCalls::first_transaction)
        .push(client, std::move(call));
  } else if (Link* const link = find_link(query.lease); !link) {
    call->complete(std::unexpected(Fault{.message = "its connection was lost, or it timed out"}));
  } else if (link->state == Link::State::leased) {
    start(*link, std::move(call));
  } else {
    link->queued.push_back(std::move(call));
  }
}

void Loop::end_lease(ReleasedLease released) {
  Link* const link = find_link(released.lease);
  if (!link) return;
  link->lease = 0;
  if (link->state == Link::State::leased) end_transaction(*link);
}

void Loop::on_ready(Link& link) {
  if (link.state == Link::State::closed) return;
  if (link.state == Link::State::idle || link.state == Link::State::leased) {
    if (!link.connection.is_alive()) remove(link);
    return;
  }
  auto result = link.connection.advance();
  if (result && !*result) {
    links_.watch(link);
  } else if (link.state == Link::State::ending) {
    if (result) {
      set_idle(link);
    } else {
      remove(link);
    }
  } else {
    on_result(link, std::move(result));
  }
}

void Loop::on_result(Link& link, std::expected<Result, Fault> result) {
  const CallPtr call = std::exchange(link.call, nullptr);
  const Query::Kind kind = call->query.kind;
  if (!result) {
    Fault& fault = result.error();
    // Another server may be the primary now, or the default that a session keeps from its login has changed. A standby
    // that the URL allows refuses every write: its connections are replaced at most once a second.
    if (const Time now = steady_clock::now(); fault.is_standby && link.generation == generation_ &&
                                              (requires_primary_ || replaced_at_ + replacement_interval <= now)) {
      ++generation_;
      replaced_at_ = now;
    }
    if (fault.connection_lost) {
      remove(link);
      if (kind == Query::Kind::begin && link.was_used)
        return pending_.queue(PendingCalls::another_transaction).push_front(call->query.client, call);
      return call->complete(std::unexpected(std::move(fault)));
    }
    if (fault.is_retryable && kind == Query::Kind::single && ++link.attempts < max_attempts) {
      return start(link, call);
    }
  }
  link.attempts = 0;
  link.was_used = true;
  link.idle_since = last_response_ = steady_clock::now();
  std::expected<Response, Fault> response;
  if (!result) {
    response = std::unexpected(std::move(result.error()));
  } else {
    response->result = std::move(*result);
  }
  if (kind == Query::Kind::begin && response) {
    link.state = Link::State::leased;
    link.lease = ++last_lease_;
    link.request_id = call->query.request_id;
    link.request_deadline = call->query.request_deadline;
    response->lease = Lease(*this, link.lease);
  } else if (kind == Query::Kind::begin || (kind == Query::Kind::in_lease && link.lease == 0)) {
    end_transaction(link);
  } else if (kind == Query::Kind::in_lease) {
    link.state = Link::State::leased;
    start_next(link);
  } else {
    set_idle(link);
  }
  call->complete(std::move(response));
}

void Loop::start_next(Link& link) {
  links_.watch(link);
  if (link.queued.empty()) return;
  CallPtr next = std::move(link.queued.front());
  link.queued.pop_front();
  start(link, std::move(next));
}

void Loop::start(Link& link, CallPtr call) {
  link.state = Link::State::busy;
  link.connection.send(call->query.statement);
  link.call = std::move(call);
  on_ready(link);
}

void Loop::end_transaction(Link& link) {
  link.fail_queued({.message = "its transaction has ended"});
  link.state = Link::State::ending;
  link.lease = 0;
  link.request_id = nullptr;
  link.end_deadline = steady_clock::now() + shutdown_timeout;
  link.connection.send({.sql = "COMMIT"});
  on_ready(link);
}

void Loop::set_idle(Link& link) {
  link.state = Link::State::idle;
  links_.watch(link);
  if (link.generation != generation_) remove(link);
}

void Loop::remove(Link& link) {
  links_.unwatch(link);
  link.watched = Descriptor(-1);
  link.state = Link::State::closed;
  link.lease = 0;
  link.fail_queued({.message = "its connection was lost"});
}

void Loop::cancel(Link& link) {
  remove(link);
  cancellations_.emplace_back(std::move(link.connection), steady_clock::now() + shutdown_timeout);
}

void Loop::expire_deadlines(Time now) {
  const auto is_expired = [this, now](const CallPtr& call) {
    return call->query.deadline.at <= now || (shutdown_deadline_ && *shutdown_deadline_ <= now);
  };
  for (const auto& link : links_) {
    if (link->state == Link::State::busy && is_expired(link->call)) {
      const CallPtr call = std::move(link->call);
      // Reads wait for no other call, and not all writes do: if the server does not respond, the idle connections may
      // be lost too.
      if (call->query.kind != Query::Kind::single || last_response_ + silence_timeout < now) ++generation_;
      cancel(*link);
      call->complete(std::unexpected(timed_out(call->query.deadline, "timed out")));
    } else if (link->state == Link::State::leased && link->request_deadline && *link->request_deadline <= now) {
      end_transaction(*link);
    } else if (link->state == Link::State::ending && link->end_deadline <= now) {
      remove(*link);
    }
  }
  pending_.erase_if([&](const CallPtr& call) {
    if (!is_expired(call)) return false;
    std::string text = "timed out waiting for a connection";
    if (connect_fault_) text += ": " + connect_fault_->message;
    call->complete(std::unexpected(timed_out(call->query.deadline, std::move(text))));
    return true;
  });
  std::erase_if(cancellations_, [now](Cancellation& cancellation) { return cancellation.advance(now); });
}

void Loop::dispatch(Time now) {
  bool needs_connection = false;
  for (const std::size_t level :
       {PendingCalls::single_statement, PendingCalls::another_transaction, PendingCalls::first_transaction}) {
    auto& queue = pending_.queue(level);
    while (!queue.empty() && PendingCalls::is_allowed(level, busy_links(), capacity())) {
      Link* const link = idle_link();
      if (!link) break;
      start(*link, queue.pop());
    }
    needs_connection |= !queue.empty() && PendingCalls::is_allowed(level, busy_links(), url_.pool);
  }
  if (pending_.empty()) return;
  end_idle_transaction(now);
  const std::size_t open = links_.count_open();
  if (!needs_connection || open >= url_.pool || connector_.start_attempt(now) || !connect_fault_) return;
  if (open == 0) {
    // The server responded after the failed attempt: the next one decides.
    if (last_response_ > connect_failed_at_) return;
    pending_.fail(*connect_fault_);
  } else {
    resolve_deadlock();
  }
}

// If all busy connections are held by requests that wait for another one: the newest of these calls gets an idle
// connection, or fails if there is none, and the others proceed with the connection that it held.
void Loop::resolve_deadlock() {
  const bool is_stuck = std::ranges::all_of(links_, [this](const auto& link) {
    return !link->is_in_use() || (link->state == Link::State::leased && pending_.has_call_of(link->request_id));
  });
  if (!is_stuck) return;
  for (const std::size_t level : {PendingCalls::another_transaction, PendingCalls::single_statement}) {
    auto last =
        pending_.queue(level).pop_last_if([this](const CallPtr& call) { return holds_lease(call->query.request_id); });
    if (!last) continue;
    Link* const link = idle_link();
    return link ? start(*link, std::move(*last)) : (*last)->complete(std::unexpected(*connect_fault_));
  }
}

// Ends the transaction of a request that has read nothing for a while and has not released its session, if connections
// are scarce.
void Loop::end_idle_transaction(Time now) {
  Link* oldest = nullptr;
  for (const auto& link : links_) {
    if (link->state == Link::State::leased && link->request_deadline &&
        (!oldest || link->idle_since < oldest->idle_since)) {
      oldest = link.get();
    }
  }
  if (oldest && busy_links() + 2 >= capacity() && oldest->idle_since + contended_idle_timeout <= now) {
    end_transaction(*oldest);
  }
}

void Loop::publish_counts() {
  inbox_.publish({.open = links_.count_open(), .busy = busy_links(), .max = url_.pool, .waiting = pending_.size()});
}

Link* Loop::idle_link() {
  for (const auto& link : links_) {
    if (link->state != Link::State::idle) continue;
    if (link->generation == generation_) return link.get();
    remove(*link);
  }
  return nullptr;
}

Link* Loop::find_link(std::uint64_t lease) {
  const auto found = std::ranges::find_if(links_, [lease](const auto& link) { return link->lease == lease; });
  return lease == 0 || found == links_.end() ? nullptr : found->get();
}

bool Loop::holds_lease(const void* request_id) const {
  return std::ranges::any_of(
      links_, [request_id](const auto& link) { return link->lease != 0 && link->request_id == request_id; });
}

std::size_t Loop::busy_links() const {
  return static_cast<std::size_t>(std::ranges::count_if(links_, [](const auto& link) { return link->is_in_use(); }));
}

std::size_t Loop::capacity() const { return connect_fault_ ? std::min(url_.pool, links_.count_open()) : url_.pool; }

bool Loop::needs_timer() const {
  return shutdown_deadline_ || !cancellations_.empty() || !pending_.empty() ||
         std::ranges::any_of(links_, [](const auto& link) {
           return link->state == Link::State::leased ? link->request_deadline.has_value() : link->is_in_use();
         });
}

bool Loop::is_finished() const {
  return shutdown_deadline_ && pending_.empty() &&
         std::ranges::none_of(links_, [](const auto& link) { return link->state == Link::State::busy; });
}

}  // namespace portail::postgres
