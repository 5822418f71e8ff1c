#include "native/server/server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <thread>

#include <sys/resource.h>
#include <sys/socket.h>

#include "native/server/own_answers.hpp"
#include "native/server/unsent_answers.hpp"

namespace portail {
namespace {

constexpr std::chrono::milliseconds time_between_looks{250};  // for connections whose deadline has passed
constexpr std::size_t memory_of_a_connection = 50 * 1024;     // under TLS, about
constexpr int accepted_together = 16;                         // then the others have their turns

// As many descriptors as this process may have; how many connections that is enough for, with what else is open.
std::size_t connections_that_fit() {
  constexpr rlim_t reserve = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();  // a sandbox: unknown
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur > 2 * reserve ? limit.rlim_cur - reserve : limit.rlim_cur / 2);
}

AdmissionLimits fitting(AdmissionLimits limits, Log& log) {
  const std::size_t max = connections_that_fit();
  if (limits.in_all > max) {
    log.warn("fewer connections than --max-connections: the limit of open files is too low",
             std::to_string(std::exchange(limits.in_all, max)) + " wanted, " + std::to_string(max) + " possible");
  }
  return limits;
}

}  // namespace

Server::Server(ServerOptions options, const Host& host)
    : options_(std::move(options)),
      host_(host),
      poll_(time_between_looks),
      load_(options_.queue_timeout),
      tls_(options_.tls),
      admission_(fitting(options_.connections, host.log)) {}

bool Server::exchange_certificate(std::shared_ptr<const TlsContext> tls) {
  if ((tls == nullptr) != (options_.tls == nullptr)) return false;
  const std::lock_guard lock(mutex_);
  tls_ = std::move(tls);
  return true;
}

std::optional<Instant> Server::certificate_end() {
  const std::lock_guard lock(mutex_);
  if (!tls_) return std::nullopt;
  return tls_->validity().end;
}

ConnectionCounts Server::counts() {
  const std::lock_guard lock(mutex_);
  return {.open = connections_.size(),
          .max = admission_.max(),
          .accepted = accepted_,
          .turned_away = turned_away_,
          .unsent_bytes = unsent_};
}

std::expected<int, std::string> Server::listen() {
  auto listener = Listener::open(options_.address, options_.port, options_.setting);
  if (!listener) return std::unexpected(listener.error());
  listener_.emplace(std::move(*listener));
  return listener_->port();
}

std::expected<void, std::string> Server::serve() {
  std::vector<std::jthread> workers(options_.workers);
  for (std::jthread& worker : workers) worker = std::jthread([this] { work(); });
  {
    const std::lock_guard lock(accepting_);
    if (listener_ && !poll_.add(listener_->socket(), listening_)) stop_accepting(std::strerror(errno));
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !accepts_ && connections_.empty(); });
  poll_.end();
  if (broken_) return std::unexpected("no more connections can be accepted: " + *broken_);
  return {};
}

void Server::stop() {
  drain();
  stopping_ = true;
  {
    const std::lock_guard lock(accepting_);
    if (listener_) stop_accepting(std::nullopt);
  }
  const std::lock_guard lock(mutex_);
  stop_by_ = std::chrono::steady_clock::now() + options_.shutdown_timeout;
  for (auto& [socket, connection] : connections_) connection.end_if_idle();
}

void Server::stop_accepting(std::optional<std::string> reason) {
  listener_.reset();
  const std::lock_guard lock(mutex_);
  accepts_ = false;
  broken_ = std::move(reason);
  changed_.notify_all();
}

void Server::accept_connections() {
  const std::lock_guard lock(accepting_);
  paused_ = false;
  for (int taken = 0; listener_ && taken < accepted_together; ++taken) {
    auto socket = listener_->accept();
    if (socket) {
      admit(std::move(*socket));
      continue;
    }
    const int error = errno;
    if (socket.error() == NotAccepted::none_waits) break;
    if (socket.error() == NotAccepted::out_of_room) {
      if (no_room_.is_due()) {
        host_.log.warn("connections wait: the machine has no room for them", std::strerror(error));
      }
      paused_ = true;
      return;
    }
    if (socket.error() == NotAccepted::broken) {
      drain();
      stop_accepting(std::strerror(error));
    }
  }
  if (listener_ && !poll_.watch(listener_->socket(), listening_, false)) {
    const int error = errno;
    drain();
    stop_accepting(std::strerror(error));
  }
}

void Server::admit(Descriptor socket) {
  const int number = socket.number();
  const OpenConnection::Origin origin = origin_of(number);
  {
    const std::lock_guard lock(mutex_);
    ++accepted_;
    if (admission_.admit(origin.address, origin.trusted_proxy)) {
      OpenConnection& connection =
          connections_.try_emplace(number, std::move(socket), origin, tls_, poll_).first->second;
      // From here on it is the workers', who cannot end it before they get the lock.
      if (connection.begin()) {
        freed_.note(occupied());
        return break_off_the_oldest();
      }
      if (unwatched_.is_due()) {
        host_.log.warn("connections are given up: the machine has no room to watch them", std::strerror(errno));
      }
      admission_.release(origin.address, origin.trusted_proxy);
      connections_.erase(number);
      return;
    }
    ++turned_away_;
  }
  turn_away(std::move(socket), host_, options_.tls != nullptr);
}

OpenConnection::Origin Server::origin_of(int socket) const {
  const IpAddress peer = IpAddress::of_peer(socket).value_or(IpAddress{});
  return {.address = peer,
          .trusted_proxy = std::ranges::any_of(options_.trusted_proxies,
                                               [&peer](const AddressRange& range) { return range.contains(peer); })};
}

void Server::work() {
  while (true) {
    const EventPoll::Event event = poll_.wait();
    if (std::holds_alternative<EventPoll::End>(event)) return;
    if (const Turn* turn = std::get_if<Turn>(&event)) {
      const auto now = std::chrono::steady_clock::now();
      const LoadShedding::Duration waited = now - turn->queued_at;
      load_.taken(waited, turn->is_last, now);
      if (turn->what == &listening_) {
        accept_connections();
      } else {
        proceed(static_cast<OpenConnection&>(*turn->what), waited);
      }
    } else {
      on_tick();
      poll_.acknowledge_tick();
    }
  }
}

void Server::proceed(OpenConnection& connection, LoadShedding::Duration waited) {
  {
    const std::lock_guard running(connection.running());
    unsent_ -= connection.unsent().exchange(0);
    if (run(connection, waited)) {
      const std::size_t unsent = connection.occupied();
      const bool too_much = (unsent_ += unsent) > options_.most_unsent;
      connection.unsent() = unsent;
      const bool is_awaited = connection.await_event();
      if (too_much) break_off_answers();
      if (is_awaited) return;  // another worker may have it now
      unsent_ -= connection.unsent().exchange(0);
    }
  }
  decltype(connections_)::node_type ended;  // the socket is closed when it is in no list any more
  const std::lock_guard lock(mutex_);
  ended = connections_.extract(connection.socket());
  admission_.release(connection.origin().address, connection.origin().trusted_proxy);
  if (connections_.empty()) changed_.notify_all();
}

bool Server::run(OpenConnection& connection, LoadShedding::Duration waited) {
  // A handshake costs more than an answer: one that there is no room for ends before it begins.
  if (connection.begins_tls() && load_.sheds(waited, std::chrono::steady_clock::now())) {
    load_.count();
    return false;
  }
  return connection.run(host_, draining_, stopping_, load_, waited);
}

void Server::say_what_was_shed() {
  const std::uint64_t shed = load_.shed();
  if (shed == shed_and_said_ || !overloaded_.is_due()) return;
  host_.log.warn("load is shed: requests wait too long for a worker",
                 std::to_string(shed - std::exchange(shed_and_said_, shed)) + " since this was last said");
}

void Server::say_who_asked_too_often() {
  if (!host_.rates) return;
  const std::uint64_t of_addresses = host_.rates->refused_by_address();
  const std::uint64_t of_subjects = host_.rates->refused_by_subject();
  if (of_addresses == of_addresses_said_ && of_subjects == of_subjects_said_) return;
  if (!asked_too_often_.is_due()) return;
  host_.log.warn("requests are refused: their address or subject asks too often",
                 std::to_string(of_addresses - std::exchange(of_addresses_said_, of_addresses)) + " for the address, " +
                     std::to_string(of_subjects - std::exchange(of_subjects_said_, of_subjects)) +
                     " for the subject, since this was last said");
}

void Server::log_refused_streams() {
  const std::uint64_t refused = host_.streams ? host_.streams->refused() : 0;
  if (refused == logged_streams_ || !streams_refused_.is_due()) return;
  host_.log.warn("requests are refused: their clients have too many streamed answers under way",
                 std::to_string(refused - std::exchange(logged_streams_, refused)) + " since this was last logged");
}

void Server::break_off_answers() {
  const std::lock_guard lock(mutex_);
  std::vector<UnsentAnswer> answers;
  std::vector<OpenConnection*> of;
  for (auto& [socket, connection] : connections_) {
    if (connection.unsent() == 0) continue;
    answers.push_back({.customer = connection.origin().address.customer(),
                       .bytes = connection.unsent(),
                       .deadline = connection.deadline()});
    of.push_back(&connection);
  }
  const std::vector<std::size_t> given_up = answers_to_break_off(answers, options_.most_unsent / 4 * 3);
  for (const std::size_t i : given_up) {
    unsent_ -= of[i]->unsent().exchange(0);
    of[i]->break_off();
  }
  if (!given_up.empty() && broken_off_.is_due()) {
    host_.log.warn("answers are broken off: their clients leave too much of them unread",
                   std::to_string(given_up.size()) + " answers");
  }
}

void Server::break_off_the_last() {
  std::size_t waiting = 0;
  for (auto& [socket, connection] : connections_) {
    if (connection.deadline() == Deadline::max()) continue;  // a worker runs it
    connection.break_off();
    ++waiting;
  }
  if (waiting > 0 && last_broken_off_.is_due()) {
    host_.log.warn("connections are broken off: the server stops, and has waited for their clients long enough",
                   std::to_string(waiting));
  }
}

void Server::break_off_the_oldest() {
  if (options_.max_kept == 0 || connections_.size() <= options_.max_kept) return;
  std::size_t kept = 0;
  OpenConnection* oldest = nullptr;
  for (auto& [socket, connection] : connections_) {
    if (connection.is_broken_off()) continue;
    ++kept;
    if (!oldest || connection.accepted_at() < oldest->accepted_at()) oldest = &connection;
  }
  if (kept > options_.max_kept) oldest->break_off();
}

std::size_t Server::occupied() const { return connections_.size() * memory_of_a_connection + unsent_; }

void Server::on_tick() {
  bool is_memory_freed = false;
  {
    const Deadline now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    const bool is_limited = options_.max_connection_time.count() > 0;
    for (auto& [socket, connection] : connections_) {
      connection.end_if_late(now);
      if (is_limited && now - connection.accepted_at() > options_.max_connection_time) connection.break_off();
    }
    if (stop_by_ <= now) break_off_the_last();
    say_what_was_shed();
    say_who_asked_too_often();
    log_refused_streams();
    is_memory_freed = freed_.is_due(occupied());
  }
  if (is_memory_freed) FreedMemory::return_to_system();
  bool try_again = false;
  {
    const std::lock_guard lock(accepting_);
    try_again = paused_;
  }
  if (try_again) accept_connections();
}

}  // namespace portail
