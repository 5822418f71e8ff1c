#include "native/server/listener.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace portail::server {
namespace {

constexpr int backlog = 1024;
constexpr int not_sent_low_water_mark = 128 * 1024;

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

// `address` must be literal; else the size of the result is 0.
SocketAddress socket_address(const std::string& address, int port) {
  SocketAddress result;
  auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&result.bytes);
  auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&result.bytes);
  if (inet_pton(AF_INET, address.c_str(), &ipv4->sin_addr) == 1) {
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = htons(static_cast<std::uint16_t>(port));
    result.size = sizeof *ipv4;
  } else if (inet_pton(AF_INET6, address.c_str(), &ipv6->sin6_addr) == 1) {
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = htons(static_cast<std::uint16_t>(port));
    result.size = sizeof *ipv6;
  }
  return result;
}

std::string cannot_listen(const std::string& address, int port, std::string_view setting, int error) {
  const std::string location = address + " port " + std::to_string(port);
  const std::string remedy = "choose another " + std::string(setting);
  switch (error) {
    case EADDRINUSE:
      return "cannot listen on " + location + ": the port is in use; stop the other program or " + remedy;
    case EACCES:
      return "cannot listen on " + location + ": ports under 1024 need a privilege; " + remedy;
    case EADDRNOTAVAIL:
      return "cannot listen on " + location + ": this machine has no such address; " + remedy;
    default:
      return "cannot listen on " + location + ": " + std::strerror(error);
  }
}

// accept(2): Linux also reports network errors of the new connection.
AcceptError accept_error_of(int error) {
  switch (error) {
    case EAGAIN:
      return AcceptError::would_block;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return AcceptError::out_of_resources;
    case EBADF:
    case EFAULT:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
      return AcceptError::fatal;
    default:
      return AcceptError::aborted;
  }
}

}  // namespace

std::string Listener::wildcard_address() {
  const Descriptor ipv6_socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ipv6_socket ? "[::]" : "0.0.0.0";
}

std::expected<Listener, std::string> Listener::open(const std::string& address, int port, std::string_view setting) {
  SocketAddress requested = socket_address(address, port);
  if (requested.size == 0) return std::unexpected(cannot_listen(address, port, setting, EADDRNOTAVAIL));
  Descriptor socket(::socket(requested.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // The port can be bound while connections of an ended server remain, but not while another server listens.
  const int on = 1;
  const bool listens = socket && setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(socket.number(), requested.get(), requested.size) == 0 &&
                       listen(socket.number(), backlog) == 0;
  if (!listens) return std::unexpected(cannot_listen(address, port, setting, errno));
  return Listener(std::move(socket));
}

int Listener::port() const {
  SocketAddress bound;
  bound.size = sizeof bound.bytes;
  getsockname(socket_.number(), bound.get(), &bound.size);
  // sin_port and sin6_port have the same offset.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound.bytes)->sin_port);
}

std::expected<Descriptor, AcceptError> Listener::accept() {
  Descriptor accepted(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) return std::unexpected(accept_error_of(errno));
  // Answers are written whole, so Nagle's algorithm only delays them. The low-water mark bounds the unsent bytes that
  // the kernel buffers, which are megabytes otherwise.
  const int on = 1;
  setsockopt(accepted.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(accepted.number(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &not_sent_low_water_mark,
             sizeof not_sent_low_water_mark);
  return accepted;
}

}  // namespace portail::server
