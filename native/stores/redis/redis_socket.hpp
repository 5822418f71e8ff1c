// A connected, non-blocking socket to a Redis server, with TLS if the URL requires it. TLS verifies the server's
// certificate: its authority and its name. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <openssl/ssl.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

class Socket {
 public:
  // Connects to the first of the host's addresses that accepts. Waits until the deadline, which does not bound the
  // resolution of the name.
  static std::expected<Socket, Fault> connect(const Url& url, engine::Deadline deadline);

  // Return the number of bytes sent or received; 0 if the call would block. The end of the stream is a fault.
  std::expected<std::size_t, Fault> send(std::string_view bytes);
  std::expected<std::size_t, Fault> receive(std::span<char> bytes);

  // Waits until the socket is readable, or also until it is writable if `or_writable`.
  [[nodiscard]] std::expected<void, Fault> wait(bool or_writable, engine::Deadline deadline) const;
  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  using Tls = std::unique_ptr<SSL, Free>;

  Socket(Descriptor socket, Tls tls) : socket_(std::move(socket)), tls_(std::move(tls)) {}
  std::expected<void, Fault> handshake(engine::Deadline deadline);
  static std::expected<Tls, Fault> create_tls(const Url& url, int socket);
  std::expected<std::size_t, Fault> outcome(int result) const;

  Descriptor socket_;
  Tls tls_;  // null without TLS
};

}  // namespace portail::redis
