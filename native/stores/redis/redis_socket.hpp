// A connected socket to a Redis server that never blocks, with TLS over it where the URL says so. The server's
// certificate is verified then: by its authority and its name. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <openssl/ssl.h>

#include "core/files/descriptor.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisSocket {
 public:
  // To the first of the host's addresses that takes it. Waits until the deadline; the name is looked up by the system,
  // in the system's own time.
  static std::expected<RedisSocket, RedisFault> connect(const RedisUrl& url, EngineDeadline deadline);

  // How many bytes were taken, and how many came: none where that would have to wait. The end is a fault.
  std::expected<std::size_t, RedisFault> send(std::string_view bytes);
  std::expected<std::size_t, RedisFault> receive(std::span<char> bytes);

  // Until there is something to receive, or room to send where that is asked for.
  [[nodiscard]] std::expected<void, RedisFault> wait(bool or_for_room, EngineDeadline deadline) const;
  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  using Tls = std::unique_ptr<SSL, Free>;

  RedisSocket(Descriptor socket, Tls tls) : socket_(std::move(socket)), tls_(std::move(tls)) {}
  std::expected<void, RedisFault> shake_hands(EngineDeadline deadline);
  static std::expected<Tls, RedisFault> make_tls(const RedisUrl& url, int socket);
  std::expected<std::size_t, RedisFault> outcome(int result) const;

  Descriptor socket_;
  Tls tls_;  // null where there is none
};

}  // namespace portail
