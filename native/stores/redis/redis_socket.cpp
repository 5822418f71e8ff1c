#include "native/stores/redis/redis_socket.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>
#include <sys/socket.h>

#include "native/system/name_lookup.hpp"

namespace portail::redis {
namespace {

Fault unreachable(std::string_view why) { return {.message = "it cannot be reached: " + std::string(why)}; }
Fault lost(std::string_view why) {
  return {.message = "the connection was lost: " + std::string(why), .connection_lost = true};
}
Fault no_tls(std::string_view why) { return {.message = "TLS fails: " + std::string(why)}; }

// Waits for one of the events, or for an error, which the next call on the socket reports.
std::expected<void, Fault> wait_for(int socket, short events, engine::Deadline deadline) {
  using std::chrono::ceil, std::chrono::milliseconds;
  while (true) {
    const auto left = ceil<milliseconds>(deadline.at - std::chrono::steady_clock::now());
    // The socket of a peer that sends without end is always readable.
    if (left <= milliseconds(0)) {
      return std::unexpected(Fault{.failure = deadline.on_expiry, .message = "timed out"});
    }
    pollfd watched{.fd = socket, .events = events, .revents = 0};
    const int found = poll(&watched, 1, static_cast<int>(left.count()));
    if (found > 0) return {};
    if (found < 0 && errno != EINTR) return std::unexpected(lost(std::strerror(errno)));
  }
}

std::expected<Descriptor, Fault> connect_socket(const addrinfo& address, engine::Deadline deadline) {
  Descriptor opened(socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  if (!opened) return std::unexpected(unreachable(std::strerror(errno)));
  if (connect(opened.number(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return std::unexpected(unreachable(std::strerror(errno)));
    if (auto connected = wait_for(opened.number(), POLLOUT, deadline); !connected) {
      return std::unexpected(connected.error());
    }
    int code = 0;
    socklen_t size = sizeof code;
    getsockopt(opened.number(), SOL_SOCKET, SO_ERROR, &code, &size);
    if (code != 0) return std::unexpected(unreachable(std::strerror(code)));
  }
  const int on = 1;
  setsockopt(opened.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Detects a server that vanished silently, both on an idle connection and when sent data is not acknowledged.
  setsockopt(opened.number(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  const int ack_timeout = 5000;  // milliseconds
  setsockopt(opened.number(), IPPROTO_TCP, TCP_USER_TIMEOUT, &ack_timeout, sizeof ack_timeout);
  return opened;
}

std::string_view tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? std::string_view(reason) : std::string_view("no reason given");
}

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

std::expected<Socket, Fault> Socket::connect(const Url& url, engine::Deadline deadline) {
  const auto addresses = look_up_host(url.host, url.port, deadline.at);
  Fault fault;
  if (!addresses) {
    fault = unreachable(addresses.error());
    if (deadline.at <= std::chrono::steady_clock::now()) fault.failure = deadline.on_expiry;
    return std::unexpected(fault);
  }
  for (const addrinfo* address = addresses->get(); address; address = address->ai_next) {
    auto opened = connect_socket(*address, deadline);
    if (!opened) {
      fault = opened.error();
      continue;
    }
    if (!url.tls) return Socket(std::move(*opened), nullptr);
    auto tls = create_tls(url, opened->number());
    if (!tls) return std::unexpected(tls.error());
    Socket secured(std::move(*opened), std::move(*tls));
    if (auto shaken = secured.handshake(deadline); !shaken) return std::unexpected(shaken.error());
    return secured;
  }
  return std::unexpected(fault);
}

std::expected<Socket::Tls, Fault> Socket::create_tls(const Url& url, int socket) {
  ERR_clear_error();
  // A new context for each connection reads files that were replaced.
  const std::unique_ptr<SSL_CTX, FreeTlsContext> context(SSL_CTX_new(TLS_client_method()));
  if (!context) return std::unexpected(no_tls(tls_error()));
  // The Redis protocol delimits its replies, so a truncated stream is detected without close_notify.
  SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const auto unread = [](std::string_view parameter) {
    return std::unexpected(no_tls("the file that " + std::string(parameter) + " names: " + std::string(tls_error())));
  };
  if (url.sslrootcert.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (SSL_CTX_load_verify_file(context.get(), url.sslrootcert.c_str()) != 1) {
    return unread("sslrootcert");
  }
  if (!url.sslcert.empty() && SSL_CTX_use_certificate_chain_file(context.get(), url.sslcert.c_str()) != 1) {
    return unread("sslcert");
  }
  // Never asks for a password: standard input may be a document.
  bool is_encrypted = false;
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void* encrypted) {
    *static_cast<bool*>(encrypted) = true;
    return 0;
  });
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &is_encrypted);
  if (!url.sslkey.empty() && SSL_CTX_use_PrivateKey_file(context.get(), url.sslkey.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (!is_encrypted) return unread("sslkey");
    ERR_clear_error();
    return std::unexpected(no_tls("the key that sslkey names is encrypted: it must have no password"));
  }
  Tls tls(SSL_new(context.get()));
  if (!tls || SSL_set_fd(tls.get(), socket) != 1) return std::unexpected(no_tls(tls_error()));
  const bool has_name = is_address(url.host)
                            ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls.get()), url.host.c_str()) == 1
                            : SSL_set1_host(tls.get(), url.host.c_str()) == 1 &&
                                  SSL_set_tlsext_host_name(tls.get(), url.host.c_str()) == 1;
  if (!has_name) return std::unexpected(no_tls(tls_error()));
  return tls;
}

std::expected<void, Fault> Socket::handshake(engine::Deadline deadline) {
  while (true) {
    ERR_clear_error();
    const int result = SSL_connect(tls_.get());
    if (result == 1) return {};
    const int ssl_error = SSL_get_error(tls_.get(), result);
    if (ssl_error == SSL_ERROR_WANT_READ || ssl_error == SSL_ERROR_WANT_WRITE) {
      const short events = ssl_error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      if (const auto waited = wait_for(number(), events, deadline); !waited) {
        Fault fault = no_tls(waited.error().message);
        fault.failure = waited.error().failure;
        return std::unexpected(std::move(fault));
      }
      continue;
    }
    const long verified = SSL_get_verify_result(tls_.get());
    if (verified != X509_V_OK) {
      return std::unexpected(
          no_tls("its certificate is not accepted: " + std::string(X509_verify_cert_error_string(verified))));
    }
    if (ssl_error == SSL_ERROR_SYSCALL) return std::unexpected(no_tls("the server ended the connection"));
    return std::unexpected(no_tls(tls_error()));
  }
}

std::expected<std::size_t, Fault> Socket::send(std::string_view bytes) {
  if (tls_) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    return result == 1 ? count : outcome(result);
  }
  const ssize_t count = ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::unexpected(lost(std::strerror(errno)));
}

std::expected<std::size_t, Fault> Socket::receive(std::span<char> bytes) {
  if (tls_) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    return result == 1 ? count : outcome(result);
  }
  const ssize_t count = recv(number(), bytes.data(), bytes.size(), 0);
  if (count > 0) return static_cast<std::size_t>(count);
  if (count == 0) return std::unexpected(lost("the server ended it"));
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::unexpected(lost(std::strerror(errno)));
}

// Returns the outcome of a call on tls_ that transferred nothing.
std::expected<std::size_t, Fault> Socket::outcome(int result) const {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return 0;
    case SSL_ERROR_ZERO_RETURN:
      return std::unexpected(lost("the server ended it"));
    case SSL_ERROR_SYSCALL:
      return std::unexpected(lost(errno == 0 ? "the server ended it" : std::strerror(errno)));
    default:
      return std::unexpected(lost(tls_error()));
  }
}

std::expected<void, Fault> Socket::wait(bool or_writable, engine::Deadline deadline) const {
  return wait_for(number(), static_cast<short>(or_writable ? POLLIN | POLLOUT : POLLIN), deadline);
}

}  // namespace portail::redis
