#include "native/server/server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "native/server/own_answers.hpp"

namespace portail {
namespace {

constexpr int waiting_connections = 1024;
constexpr std::chrono::milliseconds time_between_looks{250};  // for connections whose deadline has passed

// The default of cpp-httplib would let a second server share the port unnoticed.
void reuse_address_only(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

std::string cannot_listen(const std::string& address, int port, int error) {
  const std::string where = address + " port " + std::to_string(port);
  switch (error) {
    case EADDRINUSE:
      return "cannot listen on " + where + ": the port is in use; stop the other program or choose another --listen";
    case EACCES:
      return "cannot listen on " + where + ": ports under 1024 need a privilege; choose another --listen";
    case EADDRNOTAVAIL:
      return "cannot listen on " + where + ": this machine has no such address; choose another --listen";
    default:
      return "cannot listen on " + where + ": " + std::strerror(error);
  }
}

// Accepting is all that cpp-httplib does here: what it accepts goes straight on to process_and_close_socket.
class NoQueue final : public httplib::TaskQueue {
 public:
  bool enqueue(std::function<void()> accepted) override {
    accepted();
    return true;
  }
  void shutdown() override {}
};

// As many descriptors as this process may have; how many connections that is enough for, with what else is open.
std::size_t connections_that_fit() {
  constexpr rlim_t reserve = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();  // a sandbox; nobody knows
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur > 2 * reserve ? limit.rlim_cur - reserve : limit.rlim_cur / 2);
}

AdmissionLimits fitting(AdmissionLimits limits, Log& log) {
  const std::size_t most = connections_that_fit();
  if (limits.in_all > most) {
    log.warn("fewer connections than --max-connections: the limit of open files is too low",
             std::to_string(std::exchange(limits.in_all, most)) + " wanted, " + std::to_string(most) + " possible");
  }
  return limits;
}

}  // namespace

Server::Server(ServerOptions options, const Host& host)
    : options_(std::move(options)),
      host_(host),
      poll_(time_between_looks),
      admission_(fitting(options_.connections, host.log)) {
  set_tcp_nodelay(true);
  set_socket_options(reuse_address_only);
  new_task_queue = [] { return new NoQueue; };
}

std::expected<int, std::string> Server::listen() {
  int error = EINVAL;
  set_error_logger([&error](const httplib::Error&, const httplib::Request*) { error = errno; });
  int port = options_.port;
  if (port == 0) {
    port = bind_to_any_port(options_.address);
  } else if (!bind_to_port(options_.address, port)) {
    port = -1;
  }
  set_error_logger(nullptr);
  if (port < 0) return std::unexpected(cannot_listen(options_.address, options_.port, error));
  ::listen(svr_sock_, waiting_connections);  // cpp-httplib lets five wait
  return port;
}

bool Server::serve() {
  std::vector<std::jthread> workers(options_.workers);
  for (std::jthread& worker : workers) worker = std::jthread([this] { work(); });
  const bool orderly = listen_after_bind();
  std::unique_lock lock(mutex_);
  none_left_.wait(lock, [this] { return connections_.empty(); });
  poll_.end();
  return orderly;
}

void Server::stop() {
  drain();
  stopping_ = true;
  wait_until_ready();
  httplib::Server::stop();
  const std::lock_guard lock(mutex_);
  for (auto& [socket, connection] : connections_) connection.end_if_idle();
}

bool Server::process_and_close_socket(socket_t socket) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  const OpenConnection::Origin origin = origin_of(socket);
  {
    const std::lock_guard lock(mutex_);
    if (admission_.admit(origin.address, origin.trusted_proxy)) {
      OpenConnection& connection = connections_.try_emplace(socket, socket, origin).first->second;
      // From here on it is the workers', who cannot end it before they get the lock.
      if (poll_.add(socket, &connection)) return true;
      admission_.release(origin.address, origin.trusted_proxy);
      connections_.erase(socket);
      return false;
    }
  }
  turn_away(Descriptor(socket), host_, options_.tls.has_value());
  return false;
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
    if (void* const* connection = std::get_if<void*>(&event)) {
      proceed(*static_cast<OpenConnection*>(*connection));
    } else {
      end_late_connections();
      poll_.acknowledge_tick();
    }
  }
}

void Server::proceed(OpenConnection& connection) {
  const TlsContext* tls = options_.tls ? &*options_.tls : nullptr;
  {
    const std::lock_guard running(connection.running());
    if (connection.run(host_, tls, draining_, stopping_)) {
      poll_.watch(connection.socket(), &connection, connection.waits_to_write());
      return;  // another worker may have it now
    }
  }
  decltype(connections_)::node_type ended;  // the socket is closed when it is in no list any more
  const std::lock_guard lock(mutex_);
  ended = connections_.extract(connection.socket());
  admission_.release(connection.origin().address, connection.origin().trusted_proxy);
  if (connections_.empty()) none_left_.notify_all();
}

void Server::end_late_connections() {
  const Deadline now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (auto& [socket, connection] : connections_) connection.end_if_late(now);
}

}  // namespace portail
