#include "native/server/server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <sys/resource.h>
#include <sys/socket.h>

#include "native/server/error_answers.hpp"
#include "native/server/unsent_answers.hpp"
#include "native/system/terminal.hpp"

namespace portail::server {
namespace {

constexpr std::chrono::milliseconds tick_interval{250};   // for expired deadlines
constexpr std::size_t memory_per_connection = 50 * 1024;  // approximate bytes, with TLS
constexpr int max_accepts_per_turn = 16;                  // then other flows have their turns

// Raises the limit of open files to its hard limit; returns how many connections fit, besides other files.
std::size_t max_connections_by_descriptors() {
  constexpr rlim_t reserve = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();  // unknown in a sandbox
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur > 2 * reserve ? limit.rlim_cur - reserve : limit.rlim_cur / 2);
}

AdmissionLimits clamp_to_descriptors(AdmissionLimits limits, Log& log) {
  const std::size_t max = max_connections_by_descriptors();
  if (limits.max_connections > max) {
    log.warn(
        "fewer connections than --max-connections: the limit of open files is too low",
        std::to_string(std::exchange(limits.max_connections, max)) + " wanted, " + std::to_string(max) + " possible");
  }
  return limits;
}

}  // namespace

Server::Server(Options options, const Host& host)
    : options_(std::move(options)),
      host_(host),
      poll_(tick_interval),
      load_(options_.queue_timeout),
      tls_(options_.tls),
      admission_(clamp_to_descriptors(options_.connections, host.log)) {}

bool Server::replace_certificate(std::shared_ptr<const TlsContext> tls) {
  if ((tls == nullptr) != (options_.tls == nullptr)) return false;
  const std::lock_guard lock(mutex_);
  tls_ = std::move(tls);
  if (tls_ && tls_->requires_client_certificates()) {
    for (auto& [socket, connection] : connections_) connection.end_after_answer();
  }
  return true;
}

std::vector<ChainCertificate> Server::certificates() {
  const std::lock_guard lock(mutex_);
  if (!tls_) return {};
  return {tls_->chain().begin(), tls_->chain().end()};
}

ConnectionCounts Server::counts() {
  const std::lock_guard lock(mutex_);
  return {.open = connections_.size(),
          .max = admission_.max(),
          .accepted = accepted_,
          .rejected = rejected_,
          .unsent_bytes = unsent_bytes_};
}

std::expected<int, std::string> Server::listen() {
  auto listener = Listener::open(options_.address, options_.port, options_.setting);
  if (!listener) return std::unexpected(listener.error());
  listener_.emplace(std::move(*listener));
  return listener_->port();
}

std::expected<void, std::string> Server::start() {
  while (workers_.size() < options_.workers) workers_.emplace_back([this] { run_worker(); });
  const std::lock_guard lock(accept_mutex_);
  if (!poll_.add(listener_->socket(), listener_item_))
    return std::unexpected(std::string("connections cannot be accepted: ") + std::strerror(errno));
  return {};
}

std::expected<void, std::string> Server::wait() {
  {
    std::unique_lock lock(mutex_);
    state_changed_.wait(lock, [this] { return !is_accepting_ && connections_.empty(); });
  }
  poll_.stop();
  workers_.clear();
  if (accept_failure_) return std::unexpected("no more connections can be accepted: " + *accept_failure_);
  return {};
}

void Server::stop() {
  drain();
  stopping_ = true;
  {
    const std::lock_guard lock(accept_mutex_);
    if (listener_) stop_accepting(std::nullopt);
  }
  const std::lock_guard lock(mutex_);
  stop_deadline_ = std::chrono::steady_clock::now() + options_.shutdown_timeout;
  for (auto& [socket, connection] : connections_) connection.shut_down_if_idle();
}

void Server::stop_accepting(std::optional<std::string> reason) {
  listener_.reset();
  const std::lock_guard lock(mutex_);
  is_accepting_ = false;
  accept_failure_ = std::move(reason);
  state_changed_.notify_all();
}

void Server::accept_connections() {
  const std::lock_guard lock(accept_mutex_);
  is_accept_paused_ = false;
  for (int accepted = 0; listener_ && accepted < max_accepts_per_turn; ++accepted) {
    auto socket = listener_->accept();
    if (socket) {
      admit(std::move(*socket));
      continue;
    }
    const int error = errno;
    if (socket.error() == AcceptError::would_block) break;
    if (socket.error() == AcceptError::out_of_resources) {
      if (out_of_resources_warning_.is_due()) {
        host_.log.warn("connections wait: the machine is out of resources", std::strerror(error));
      }
      is_accept_paused_ = true;
      return;
    }
    if (socket.error() == AcceptError::fatal) {
      drain();
      stop_accepting(std::strerror(error));
    }
  }
  if (listener_ && !poll_.rearm(listener_->socket(), listener_item_, false)) {
    const int error = errno;
    drain();
    stop_accepting(std::strerror(error));
  }
}

void Server::admit(Descriptor socket) {
  const int number = socket.number();
  const OpenConnection::Origin origin = find_origin(number);
  {
    const std::lock_guard lock(mutex_);
    ++accepted_;
    if (admission_.admit(origin.address, origin.trusted_proxy)) {
      OpenConnection& connection =
          connections_.try_emplace(number, std::move(socket), origin, tls_, poll_).first->second;
      // From here on workers may run the connection, but they cannot erase it before they lock mutex_.
      if (connection.register_socket()) {
        memory_trim_.record_usage(occupied());
        return evict_oldest_connection();
      }
      if (register_failure_warning_.is_due()) {
        host_.log.warn("connections are closed: the machine has no resources to poll them", std::strerror(errno));
      }
      admission_.release(origin.address, origin.trusted_proxy);
      connections_.erase(number);
      return;
    }
    ++rejected_;
  }
  reject_connection(std::move(socket), host_, options_.tls != nullptr);
}

OpenConnection::Origin Server::find_origin(int socket) const {
  const IpAddress peer = IpAddress::of_peer(socket).value_or(IpAddress{});
  return {.address = peer,
          .trusted_proxy = std::ranges::any_of(options_.trusted_proxies,
                                               [&peer](const AddressRange& range) { return range.contains(peer); })};
}

void Server::run_worker() {
  while (true) {
    const EventPoll::Event event = poll_.wait();
    if (std::holds_alternative<EventPoll::Stop>(event)) return;
    if (const ReadyItem* ready = std::get_if<ReadyItem>(&event)) {
      const auto now = std::chrono::steady_clock::now();
      const LoadShedding::Duration queue_time = now - ready->queued_at;
      load_.on_dequeue(queue_time, ready->is_last, now);
      if (ready->item == &listener_item_) {
        accept_connections();
      } else {
        on_ready(static_cast<OpenConnection&>(*ready->item), queue_time);
      }
    } else {
      on_tick();
      poll_.acknowledge_tick();
    }
  }
}

void Server::on_ready(OpenConnection& connection, LoadShedding::Duration queue_time) {
  {
    const std::lock_guard lock(connection.run_mutex());
    unsent_bytes_ -= connection.unsent_bytes().exchange(0);
    if (run_connection(connection, queue_time)) {
      const std::size_t unsent = connection.occupied();
      const bool is_over_limit = (unsent_bytes_ += unsent) > options_.max_unsent_bytes;
      connection.unsent_bytes() = unsent;
      const bool is_armed = connection.rearm();
      if (is_over_limit) abort_unsent_answers();
      if (is_armed) return;  // another worker may run it now
      unsent_bytes_ -= connection.unsent_bytes().exchange(0);
    }
  }
  decltype(connections_)::node_type ended;  // erased before its destructor closes the socket
  const std::lock_guard lock(mutex_);
  ended = connections_.extract(connection.socket());
  admission_.release(connection.origin().address, connection.origin().trusted_proxy);
  if (connections_.empty()) state_changed_.notify_all();
}

bool Server::run_connection(OpenConnection& connection, LoadShedding::Duration queue_time) {
  // A handshake costs more than an answer, so under overload it is rejected before it begins.
  if (connection.is_before_handshake() && load_.should_shed(queue_time, std::chrono::steady_clock::now())) {
    load_.count_shed();
    return false;
  }
  return connection.run(host_, draining_, stopping_, load_, queue_time);
}

void Server::log_shed_requests() {
  if (const auto detail = shed_warning_.due(load_.shed())) {
    host_.log.warn("load is shed: requests wait too long for a worker", *detail);
  }
}

void Server::log_limited_requests() {
  if (!host_.rates) return;
  const std::uint64_t by_address = host_.rates->refused_by_address();
  const std::uint64_t by_subject = host_.rates->refused_by_subject();
  if (by_address == logged_limited_by_address_ && by_subject == logged_limited_by_subject_) return;
  if (!limited_warning_.is_due()) return;
  host_.log.warn("requests are refused: their address or subject exceeds its rate limit",
                 std::to_string(by_address - std::exchange(logged_limited_by_address_, by_address)) +
                     " for the address, " +
                     std::to_string(by_subject - std::exchange(logged_limited_by_subject_, by_subject)) +
                     " for the subject, since the last report");
}

void Server::log_refused_streams() {
  const std::uint64_t refused = host_.streams ? host_.streams->refused() : 0;
  if (const auto detail = refused_streams_warning_.due(refused)) {
    host_.log.warn("requests are refused: their clients have too many streamed answers in flight", *detail);
  }
}

void Server::log_rejected_connections() {
  if (const auto detail = rejected_warning_.due(rejected_)) {
    host_.log.warn("connections are refused: --max-connections or --max-connections-per-address is reached", *detail);
  }
}

void Server::abort_unsent_answers() {
  const std::lock_guard lock(mutex_);
  std::vector<UnsentAnswer> answers;
  std::vector<OpenConnection*> connections;
  for (auto& [socket, connection] : connections_) {
    if (connection.unsent_bytes() == 0) continue;
    answers.push_back({.client = connection.origin().address.client_prefix(),
                       .bytes = connection.unsent_bytes(),
                       .deadline = connection.deadline()});
    connections.push_back(&connection);
  }
  const std::vector<std::size_t> aborted = answers_to_abort(answers, options_.max_unsent_bytes / 4 * 3);
  for (const std::size_t i : aborted) {
    unsent_bytes_ -= connections[i]->unsent_bytes().exchange(0);
    connections[i]->abort();
  }
  if (!aborted.empty() && aborted_answers_warning_.is_due()) {
    host_.log.warn("answers are cut off: their clients leave too many bytes unread",
                   counted(aborted.size(), "answer", "answers"));
  }
}

void Server::abort_remaining_connections() {
  std::size_t waiting = 0;
  for (auto& [socket, connection] : connections_) {
    if (connection.deadline() == Deadline::max()) continue;  // a worker runs it
    connection.abort();
    ++waiting;
  }
  if (waiting > 0 && aborted_connections_warning_.is_due()) {
    host_.log.warn("connections are closed: the shutdown timeout has expired", std::to_string(waiting));
  }
}

void Server::evict_oldest_connection() {
  if (options_.eviction_threshold == 0 || connections_.size() <= options_.eviction_threshold) return;
  std::size_t open_count = 0;
  OpenConnection* oldest = nullptr;
  for (auto& [socket, connection] : connections_) {
    if (connection.is_aborted()) continue;
    ++open_count;
    if (!oldest || connection.accepted_at() < oldest->accepted_at()) oldest = &connection;
  }
  if (open_count > options_.eviction_threshold) oldest->abort();
}

std::size_t Server::occupied() const { return connections_.size() * memory_per_connection + unsent_bytes_; }

void Server::on_tick() {
  bool should_trim_memory = false;
  {
    const Deadline now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    const bool is_limited = options_.max_connection_age.count() > 0;
    for (auto& [socket, connection] : connections_) {
      connection.expire_if_due(now);
      if (is_limited && now - connection.accepted_at() > options_.max_connection_age) connection.abort();
    }
    if (stop_deadline_ <= now) abort_remaining_connections();
    log_shed_requests();
    log_limited_requests();
    log_refused_streams();
    log_rejected_connections();
    should_trim_memory = memory_trim_.should_trim(occupied());
  }
  if (should_trim_memory) MemoryTrim::trim();
  bool should_accept = false;
  {
    const std::lock_guard lock(accept_mutex_);
    should_accept = is_accept_paused_;
  }
  if (should_accept) accept_connections();
}

std::expected<int, std::string> BackgroundServer::start(std::function<void(const std::string& reason)> on_failure) {
  auto port = server_.listen();
  if (!port) return port;
  if (const auto started = server_.start(); !started) return std::unexpected(started.error());
  thread_ = std::jthread([this, report = std::move(on_failure)] {
    const auto served = server_.wait();
    if (!served) report(served.error());
  });
  return port;
}

}  // namespace portail::server
