#include "tests/contract/support/connection.hpp"

#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace portail::contract {
namespace {

// A long timeout: the host may run under a sanitizer on a loaded machine.
constexpr time_t timeout_seconds = 60;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("HTTP client: " + what); }

int connect_to(const BaseUrl& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found) != 0) fail("unknown host " + url.host);
  int descriptor = -1;
  for (const addrinfo* each = found; each != nullptr && descriptor < 0; each = each->ai_next) {
    descriptor = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
    if (descriptor >= 0 && connect(descriptor, each->ai_addr, each->ai_addrlen) != 0) {
      close(descriptor);
      descriptor = -1;
    }
  }
  freeaddrinfo(found);
  if (descriptor < 0) fail("cannot connect to " + url.authority());
  const timeval timeout{.tv_sec = timeout_seconds, .tv_usec = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

SSL_CTX* tls_context() {
  static SSL_CTX* const context = [] {
    SSL_CTX* created = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_options(created, SSL_OP_IGNORE_UNEXPECTED_EOF);
    if (const auto& authority = environment().certificate_authority) {
      if (SSL_CTX_load_verify_file(created, authority->c_str()) != 1) fail("cannot read " + *authority);
      SSL_CTX_set_verify(created, SSL_VERIFY_PEER, nullptr);
    }
    return created;
  }();
  return context;
}

std::size_t parse_number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) fail("not a length: " + std::string(text));
  return value;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i]))) return false;
  return true;
}

std::string Reply::header(std::string_view name) const {
  for (const Header& each : headers)
    if (equal_ignoring_case(each.name, name)) return each.value;
  return {};
}

std::size_t Reply::count(std::string_view name) const {
  std::size_t found = 0;
  for (const Header& each : headers) found += equal_ignoring_case(each.name, name) ? 1 : 0;
  return found;
}

struct Connection::Socket {
  int descriptor = -1;
  SSL* tls = nullptr;

  explicit Socket(const BaseUrl& url) : descriptor(connect_to(url)) {
    if (!url.tls) return;
    tls = SSL_new(tls_context());
    SSL_set_fd(tls, descriptor);
    SSL_set_tlsext_host_name(tls, url.host.c_str());
    if (environment().certificate_authority) SSL_set1_host(tls, url.host.c_str());
    if (SSL_connect(tls) != 1) {
      release();
      fail("no TLS with " + url.authority());
    }
  }
  ~Socket() { release(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void release() {
    if (tls != nullptr) SSL_free(tls);
    if (descriptor >= 0) close(descriptor);
    tls = nullptr;
    descriptor = -1;
  }
};

Connection::Connection(const BaseUrl& url) : socket_(std::make_unique<Socket>(url)) {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto length = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 16));
    const auto written = socket_->tls != nullptr ? static_cast<ssize_t>(SSL_write(socket_->tls, bytes.data(), length))
                                                 : ::send(socket_->descriptor, bytes.data(),
                                                          static_cast<std::size_t>(length), MSG_NOSIGNAL);
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Connection::fill() {
  char bytes[1 << 14];
  const auto length = socket_->tls != nullptr ? static_cast<ssize_t>(SSL_read(socket_->tls, bytes, sizeof bytes))
                                              : recv(socket_->descriptor, bytes, sizeof bytes, 0);
  if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) fail("no answer in time");
  if (length <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(length));
  return true;
}

std::string Connection::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos)
    if (!fill()) fail(buffer_.empty() ? "the connection was closed without an answer" : "cut short: " + buffer_);
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string Connection::read_exactly(std::size_t length) {
  while (buffer_.size() < length)
    if (!fill()) fail("the body was cut short");
  std::string bytes = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return bytes;
}

void Connection::receive_body(Reply& reply) {
  if (reply.has("Transfer-Encoding")) {
    if (reply.header("Transfer-Encoding") != "chunked") fail("transfer coding " + reply.header("Transfer-Encoding"));
    if (reply.has("Content-Length")) fail("both Content-Length and Transfer-Encoding");
    while (const std::size_t length = parse_number(read_line(), 16)) {
      reply.body += read_exactly(length);
      if (!read_line().empty()) fail("a chunk is longer than it says");
    }
    while (!read_line().empty()) {
    }
  } else if (reply.has("Content-Length")) {
    if (reply.count("Content-Length") != 1) fail("two Content-Length headers");
    reply.body = read_exactly(parse_number(reply.header("Content-Length"), 10));
  } else {
    reply.body = receive_all();
  }
}

Reply Connection::receive(bool head) {
  Reply reply;
  const std::string status_line = read_line();
  if (!status_line.starts_with("HTTP/1.1 ") || status_line.size() < 13 || status_line[12] != ' ')
    fail("not a status line: " + status_line);
  reply.status = static_cast<int>(parse_number(status_line.substr(9, 3), 10));
  for (std::string line = read_line(); !line.empty(); line = read_line()) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || line[colon - 1] == ' ') fail("not a header line: " + line);
    std::string value = line.substr(colon + 1);
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t") + 1);
    reply.headers.push_back({line.substr(0, colon), value});
  }
  if (reply.status == 100) {
    reply = receive(head);
    reply.follows_continue = true;
    return reply;
  }
  if (!head && reply.status != 204 && reply.status != 304) receive_body(reply);
  return reply;
}

std::string Connection::receive_all() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

bool Connection::closed_by_peer() { return buffer_.empty() && !fill(); }

bool Connection::stale() {
  pollfd readable{.fd = socket_->descriptor, .events = POLLIN, .revents = 0};
  // TLS session tickets make a new connection readable; only a read distinguishes an end from a ticket.
  while (buffer_.empty() && poll(&readable, 1, 0) > 0) {
    if (socket_->tls == nullptr) return true;
    char byte = 0;
    SSL_set_mode(socket_->tls, SSL_MODE_AUTO_RETRY);
    const timeval moment{.tv_sec = 0, .tv_usec = 1000};
    const timeval timeout{.tv_sec = timeout_seconds, .tv_usec = 0};
    setsockopt(socket_->descriptor, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    const int length = SSL_peek(socket_->tls, &byte, 1);
    const int error = SSL_get_error(socket_->tls, length);
    setsockopt(socket_->descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (length > 0 || error != SSL_ERROR_WANT_READ) return true;
  }
  return !buffer_.empty();
}

}  // namespace portail::contract
