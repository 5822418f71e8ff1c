#include "native/server/listener.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace portail {
namespace {

constexpr int waiting_connections = 1024;
constexpr int most_kept_unsent = 128 * 1024;

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

// `address` is a literal one; size 0 where it is not.
SocketAddress socket_address(const std::string& address, int port) {
  SocketAddress made;
  auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&made.bytes);
  auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&made.bytes);
  if (inet_pton(AF_INET, address.c_str(), &ipv4->sin_addr) == 1) {
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = htons(static_cast<std::uint16_t>(port));
    made.size = sizeof *ipv4;
  } else if (inet_pton(AF_INET6, address.c_str(), &ipv6->sin6_addr) == 1) {
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = htons(static_cast<std::uint16_t>(port));
    made.size = sizeof *ipv6;
  }
  return made;
}

std::string cannot_listen(const std::string& address, int port, std::string_view setting, int error) {
  const std::string where = address + " port " + std::to_string(port);
  const std::string remedy = "choose another " + std::string(setting);
  switch (error) {
    case EADDRINUSE:
      return "cannot listen on " + where + ": the port is in use; stop the other program or " + remedy;
    case EACCES:
      return "cannot listen on " + where + ": ports under 1024 need a privilege; " + remedy;
    case EADDRNOTAVAIL:
      return "cannot listen on " + where + ": this machine has no such address; " + remedy;
    default:
      return "cannot listen on " + where + ": " + std::strerror(error);
  }
}

// accept(2): Linux passes on what has already gone wrong on the new connection's network.
NotAccepted reason_of(int error) {
  switch (error) {
    case EAGAIN:
      return NotAccepted::none_waits;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return NotAccepted::out_of_room;
    case EBADF:
    case EFAULT:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
      return NotAccepted::broken;
    default:
      return NotAccepted::lost;
  }
}

}  // namespace

std::string Listener::every_address() {
  const Descriptor probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return probe ? "[::]" : "0.0.0.0";
}

std::expected<Listener, std::string> Listener::open(const std::string& address, int port, std::string_view setting) {
  SocketAddress wanted = socket_address(address, port);
  if (wanted.size == 0) return std::unexpected(cannot_listen(address, port, setting, EADDRNOTAVAIL));
  Descriptor socket(::socket(wanted.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // Connections of a server that has just ended do not keep the port; a second server that lives does.
  const int on = 1;
  const bool listens = socket && setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(socket.number(), wanted.get(), wanted.size) == 0 &&
                       listen(socket.number(), waiting_connections) == 0;
  if (!listens) return std::unexpected(cannot_listen(address, port, setting, errno));
  return Listener(std::move(socket));
}

int Listener::port() const {
  SocketAddress bound;
  bound.size = sizeof bound.bytes;
  getsockname(socket_.number(), bound.get(), &bound.size);
  // Both kinds of addresses have it in the same place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound.bytes)->sin_port);
}

std::expected<Descriptor, NotAccepted> Listener::accept() {
  Descriptor accepted(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) return std::unexpected(reason_of(errno));
  // Answers are written whole: nothing is gained by waiting for more to send. And the kernel keeps little of what a
  // client does not take, where it would keep megabytes.
  const int on = 1;
  setsockopt(accepted.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(accepted.number(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most_kept_unsent, sizeof most_kept_unsent);
  return accepted;
}

}  // namespace portail
