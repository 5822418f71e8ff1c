#include "native/stores/postgres/postgres_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "native/stores/postgres/postgres_table.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;

constexpr milliseconds time_between_looks{50};  // for what is late, while anything could be
constexpr seconds longest_idle_when_others_wait{1};
constexpr seconds longest_silence{1};  // of a server while something is asked
constexpr seconds longest_end{2};
constexpr int most_attempts = 10;  // at a statement that lost a race

PostgresFault too_late(const EngineDeadline& deadline, std::string text) {
  return {.failure = deadline.when_passed, .text = std::move(text)};
}

}  // namespace

// A connection that works, and what it does now.
struct PostgresLoop::Link {
  enum class State : std::uint8_t {
    free,
    asked,   // `call` is on its way
    leased,  // within the transaction of `lease`, which asks nothing at the moment
    ending,  // the end of a transaction is on its way
    dead,    // to be removed when nothing refers to it any more
  };

  PostgresConnection connection;
  std::uint64_t generation = 0;
  State state = State::free;
  // Another descriptor of the connection's socket, for us alone to close. libpq closes its own when the connection is
  // lost, and the kernel keeps reporting events of a closed one while another process has the socket open.
  Descriptor watched;
  std::uint32_t events = 0;  // that are watched
  Call call{};
  int attempts = 0;
  bool was_used = false;  // it may have ended since without our knowing
  // Of a transaction:
  std::uint64_t lease = 0;
  const void* asker = nullptr;
  std::optional<Time> request_ends{};
  Time idle_since{};
  Time end_by{};               // where its end is on its way
  std::deque<Call> further{};  // in this transaction, behind one whose caller is gone
};

PostgresLoop::PostgresLoop(PostgresUrl url, PostgresConnection connection)
    : url_(std::move(url)),
      wants_primary_(url_.wants_primary()),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      more_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      connector_([this] { return made(); }, [this] { eventfd_write(more_.number(), 1); }) {
  epoll_event more{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (!poll_ || !more_ || epoll_ctl(poll_.number(), EPOLL_CTL_ADD, more_.number(), &more) != 0) std::abort();
  add(std::move(connection));
  running_ = std::jthread([this] { run(); });
}

PostgresLoop::~PostgresLoop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(more_.number(), 1);
  running_.join();
}

void PostgresLoop::submit(std::shared_ptr<PostgresCall> call) {
  {
    const std::lock_guard lock(mutex_);
    submitted_.push_back(std::move(call));
  }
  eventfd_write(more_.number(), 1);
}

PoolCounts PostgresLoop::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void PostgresLoop::give_back(std::uint64_t lease) {
  {
    const std::lock_guard lock(mutex_);
    given_back_.push_back(lease);
  }
  eventfd_write(more_.number(), 1);
}

std::expected<PostgresConnection, PostgresFault> PostgresLoop::made() const {
  auto connection = PostgresConnection::open(url_);
  if (connection) {
    if (auto prepared = prepare(*connection, url_.table); !prepared) return std::unexpected(prepared.error());
  }
  return connection;
}

void PostgresLoop::run() {
  std::array<epoll_event, 64> events;
  while (!is_done()) {
    const int wait = is_timed() ? static_cast<int>(time_between_looks.count()) : -1;
    const int found = epoll_wait(poll_.number(), events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < found; ++i) {
      auto* link = static_cast<Link*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      if (link) look_at(*link);
    }
    take_what_is_new();
    const Time now = steady_clock::now();
    end_what_is_late(now);
    distribute(now);
    std::erase_if(links_, [](const auto& link) { return link->state == Link::State::dead; });
    tell();
  }
}

void PostgresLoop::take_what_is_new() {
  eventfd_t count = 0;
  eventfd_read(more_.number(), &count);
  std::vector<Call> submitted;
  std::vector<std::uint64_t> given_back;
  {
    const std::lock_guard lock(mutex_);
    submitted.swap(submitted_);
    given_back.swap(given_back_);
    if (stopping_ && !end_by_) end_by_ = steady_clock::now() + longest_end;
  }
  for (Call& call : submitted) take(std::move(call));
  for (const std::uint64_t lease : given_back) end_lease(lease);
  auto made = connector_.take();
  if (!made) return;
  if (*made) {
    add(std::move(**made));
    refused_.reset();
  } else {
    refused_ = std::move(made->error());
    refused_->lost = false;  // nothing was asked on it
  }
}

void PostgresLoop::add(PostgresConnection connection) {
  Descriptor watched(fcntl(connection.socket(), F_DUPFD_CLOEXEC, 0));
  auto& link = links_.emplace_back(new Link{.connection = std::move(connection),
                                            .generation = generation_,
                                            .watched = std::move(watched),
                                            .events = EPOLLIN});
  epoll_event event{.events = link->events, .data = {.ptr = link.get()}};
  if (epoll_ctl(poll_.number(), EPOLL_CTL_ADD, link->watched.number(), &event) != 0) remove(*link);
}

void PostgresLoop::take(Call call) {
  const PostgresQuestion& question = call->question;
  if (question.kind != PostgresQuestion::Kind::in_lease) {
    const std::size_t of_a_holder = question.kind == PostgresQuestion::Kind::begin ? further : single;
    const std::uint64_t client = question.client;
    waiting_.at(holds_a_lease(question.asker) ? of_a_holder : first).push(client, std::move(call));
  } else if (Link* const link = link_of(question.lease); !link) {
    call->finish(std::unexpected(PostgresFault{.text = "its connection was lost, or it took too long"}));
  } else if (link->state == Link::State::leased) {
    start(*link, std::move(call));
  } else {
    link->further.push_back(std::move(call));
  }
}

void PostgresLoop::end_lease(std::uint64_t lease) {
  Link* const link = link_of(lease);
  if (!link) return;
  link->lease = 0;
  if (link->state == Link::State::leased) end_transaction(*link);
}

void PostgresLoop::look_at(Link& link) {
  if (link.state == Link::State::dead) return;
  if (link.state == Link::State::free || link.state == Link::State::leased) {
    if (!link.connection.is_alive()) remove(link);
    return;
  }
  auto result = link.connection.advance();
  if (result && !*result) {
    watch(link);
  } else if (link.state == Link::State::ending) {
    if (result) {
      free(link);
    } else {
      remove(link);
    }
  } else {
    finished(link, std::move(result));
  }
}

void PostgresLoop::finished(Link& link, std::expected<PostgresResult, PostgresFault> result) {
  const Call call = std::exchange(link.call, nullptr);
  const PostgresQuestion::Kind kind = call->question.kind;
  if (!result) {
    PostgresFault& fault = result.error();
    // Another server may have taken its place, where that makes a difference to the address.
    if (fault.is_standby && wants_primary_ && link.generation == generation_) ++generation_;
    if (fault.lost) {
      remove(link);
      if (kind == PostgresQuestion::Kind::begin && link.was_used)
        return waiting_[further].push_front(call->question.client, call);
      return call->finish(std::unexpected(std::move(fault)));
    }
    if (fault.may_be_again && kind == PostgresQuestion::Kind::single && ++link.attempts < most_attempts) {
      return start(link, call);
    }
  }
  link.attempts = 0;
  link.was_used = true;
  link.idle_since = last_answer_ = steady_clock::now();
  std::expected<PostgresAnswer, PostgresFault> answer;
  if (!result) {
    answer = std::unexpected(std::move(result.error()));
  } else {
    answer->result = std::move(*result);
  }
  if (kind == PostgresQuestion::Kind::begin && answer) {
    link.state = Link::State::leased;
    link.lease = ++last_lease_;
    link.asker = call->question.asker;
    link.request_ends = call->question.request_ends;
    answer->lease = PostgresLease(*this, link.lease);
  } else if (kind == PostgresQuestion::Kind::begin || (kind == PostgresQuestion::Kind::in_lease && link.lease == 0)) {
    end_transaction(link);
  } else if (kind == PostgresQuestion::Kind::in_lease) {
    link.state = Link::State::leased;
    go_on(link);
  } else {
    free(link);
  }
  call->finish(std::move(answer));
}

void PostgresLoop::go_on(Link& link) {
  watch(link);
  if (link.further.empty()) return;
  Call next = std::move(link.further.front());
  link.further.pop_front();
  start(link, std::move(next));
}

void PostgresLoop::start(Link& link, Call call) {
  link.state = Link::State::asked;
  link.connection.send(call->question.statement);
  link.call = std::move(call);
  look_at(link);
}

void PostgresLoop::end_transaction(Link& link) {
  fail(link.further, {.text = "its transaction has ended"});
  link.state = Link::State::ending;
  link.lease = 0;
  link.asker = nullptr;
  link.end_by = steady_clock::now() + longest_end;
  link.connection.send({.sql = "COMMIT"});
  look_at(link);
}

void PostgresLoop::free(Link& link) {
  link.state = Link::State::free;
  watch(link);
  if (link.generation != generation_) remove(link);
}

void PostgresLoop::watch(Link& link) {
  const std::uint32_t events =
      link.connection.has_unsent() ? std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLOUT} : std::uint32_t{EPOLLIN};
  if (events == link.events) return;
  link.events = events;
  epoll_event event{.events = events, .data = {.ptr = &link}};
  epoll_ctl(poll_.number(), EPOLL_CTL_MOD, link.watched.number(), &event);
}

void PostgresLoop::remove(Link& link) {
  epoll_ctl(poll_.number(), EPOLL_CTL_DEL, link.watched.number(), nullptr);
  link.watched = Descriptor(-1);
  link.state = Link::State::dead;
  link.lease = 0;
  fail(link.further, {.text = "its connection was lost"});
}

void PostgresLoop::give_up(Link& link) {
  remove(link);
  given_up_.emplace_back(std::move(link.connection), steady_clock::now() + longest_end);
}

void PostgresLoop::fail(std::deque<Call>& calls, const PostgresFault& fault) {
  for (const Call& call : std::exchange(calls, {})) call->finish(std::unexpected(fault));
}

void PostgresLoop::fail(TurnQueue<Call>& calls, const PostgresFault& fault) {
  calls.clear([&fault](const Call& call) { call->finish(std::unexpected(fault)); });
}

void PostgresLoop::end_what_is_late(Time now) {
  const auto is_late = [this, now](const Call& call) {
    return call->question.deadline.at <= now || (end_by_ && *end_by_ <= now);
  };
  for (const auto& link : links_) {
    if (link->state == Link::State::asked && is_late(link->call)) {
      const Call call = std::move(link->call);
      // Nothing that reads waits for another, and neither does all that writes: where the server does not answer, the
      // free connections may be lost too.
      if (call->question.kind != PostgresQuestion::Kind::single || last_answer_ + longest_silence < now) ++generation_;
      give_up(*link);
      call->finish(std::unexpected(too_late(call->question.deadline, "it takes too long")));
    } else if (link->state == Link::State::leased && link->request_ends && *link->request_ends <= now) {
      end_transaction(*link);
    } else if (link->state == Link::State::ending && link->end_by <= now) {
      remove(*link);
    }
  }
  for (auto& queue : waiting_) {
    queue.erase_if([&](const Call& call) {
      if (!is_late(call)) return false;
      std::string text = "no connection was free in time";
      if (refused_) text += ": " + refused_->text;
      call->finish(std::unexpected(too_late(call->question.deadline, std::move(text))));
      return true;
    });
  }
  std::erase_if(given_up_, [now](PostgresCancelling& cancelling) { return cancelling.is_over(now); });
}

void PostgresLoop::distribute(Time now) {
  bool room_is_wanted = false;
  for (const std::size_t level : {single, further, first}) {
    auto& queue = waiting_.at(level);
    while (!queue.empty() && may_be_used_by(level, capacity())) {
      Link* const link = free_link();
      if (!link) break;
      start(*link, queue.pop());
    }
    room_is_wanted |= !queue.empty() && may_be_used_by(level, url_.pool);
  }
  if (std::ranges::all_of(waiting_, [](const auto& queue) { return queue.empty(); })) return;
  end_an_idle_transaction(now);
  const std::size_t living = living_links();
  if (!room_is_wanted || living >= url_.pool || connector_.attempt(now) || !refused_) return;
  if (living == 0) {
    for (auto& queue : waiting_) fail(queue, *refused_);
  } else {
    end_waiting_for_one_another();
  }
}

// Where all connections in use are held by requests that wait for one more: the one that came last gets what was kept
// free, or else fails, and the others go on with what it held.
void PostgresLoop::end_waiting_for_one_another() {
  const bool is_stuck = std::ranges::all_of(links_, [this](const auto& link) {
    return link->state == Link::State::free || link->state == Link::State::dead ||
           (link->state == Link::State::leased && waits(link->asker));
  });
  if (!is_stuck) return;
  for (auto* const queue : {&waiting_[further], &waiting_[single]}) {
    auto last = queue->pop_last_if([this](const Call& call) { return holds_a_lease(call->question.asker); });
    if (!last) continue;
    Link* const link = free_link();
    return link ? start(*link, std::move(*last)) : (*last)->finish(std::unexpected(*refused_));
  }
}

// Of a request that has read nothing for a while, and did not release its session.
void PostgresLoop::end_an_idle_transaction(Time now) {
  Link* oldest = nullptr;
  for (const auto& link : links_) {
    if (link->state == Link::State::leased && link->request_ends &&
        (!oldest || link->idle_since < oldest->idle_since)) {
      oldest = link.get();
    }
  }
  if (oldest && links_in_use() + 2 >= capacity() && oldest->idle_since + longest_idle_when_others_wait <= now) {
    end_transaction(*oldest);
  }
}

void PostgresLoop::tell() {
  PoolCounts counts{.open = living_links(), .busy = links_in_use(), .max = url_.pool};
  for (const auto& queue : waiting_) counts.waiting += queue.size();
  const std::lock_guard lock(mutex_);
  counts_ = counts;
}

PostgresLoop::Link* PostgresLoop::free_link() {
  for (const auto& link : links_) {
    if (link->state != Link::State::free) continue;
    if (link->generation == generation_) return link.get();
    remove(*link);
  }
  return nullptr;
}

PostgresLoop::Link* PostgresLoop::link_of(std::uint64_t lease) {
  const auto found = std::ranges::find_if(links_, [lease](const auto& link) { return link->lease == lease; });
  return lease == 0 || found == links_.end() ? nullptr : found->get();
}

bool PostgresLoop::holds_a_lease(const void* asker) const {
  return std::ranges::any_of(links_, [asker](const auto& link) { return link->lease != 0 && link->asker == asker; });
}

std::size_t PostgresLoop::living_links() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(links_, [](const auto& link) { return link->state != Link::State::dead; }));
}

std::size_t PostgresLoop::links_in_use() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      links_, [](const auto& link) { return link->state != Link::State::free && link->state != Link::State::dead; }));
}

std::size_t PostgresLoop::capacity() const { return refused_ ? std::min(url_.pool, living_links()) : url_.pool; }

bool PostgresLoop::may_be_used_by(std::size_t level, std::size_t capacity) const {
  const std::size_t in_use = links_in_use();
  return in_use == 0 || in_use + (single - level) < capacity;
}

bool PostgresLoop::waits(const void* asker) const {
  return std::ranges::any_of(waiting_, [asker](const auto& queue) {
    return queue.contains([asker](const Call& call) { return call->question.asker == asker; });
  });
}

bool PostgresLoop::is_timed() const {
  return end_by_ || !given_up_.empty() ||
         std::ranges::any_of(waiting_, [](const auto& queue) { return !queue.empty(); }) ||
         std::ranges::any_of(links_, [](const auto& link) {
           return link->state == Link::State::leased ? link->request_ends.has_value()
                                                     : link->state != Link::State::free;
         });
}

bool PostgresLoop::is_done() const {
  return end_by_ && std::ranges::all_of(waiting_, [](const auto& queue) { return queue.empty(); }) &&
         std::ranges::none_of(links_, [](const auto& link) { return link->state == Link::State::asked; });
}

}  // namespace portail
