// One connection to a Redis server: either a thread waits for each answer (ask), or the caller's event loop does (send,
// advance), with any number of requests on their way. After a fault it is good for nothing but to be destroyed. One
// thread at a time.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <vector>

#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_socket.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisConnection {
 public:
  static constexpr std::chrono::seconds longest_connect{2};

  // Connected, as the URL's user, in its database; the server has said that it can work. The name of the host is looked
  // up by the system, in the system's own time.
  static std::expected<RedisConnection, RedisFault> open(const RedisUrl& url, EngineDeadline deadline);

  // One round trip: sends the request, and waits for one reply to each of its commands. The first reply that is an
  // error is the fault; the server has done the other commands nevertheless, where they are not in a transaction.
  std::expected<std::vector<RedisReply>, RedisFault> ask(const RedisRequest& request, EngineDeadline deadline);

  // Puts the request behind what is to be sent: advance() sends it.
  void send(const RedisRequest& request) {
    unsent_ += request.bytes();
    reader_.expect(request.limits());
  }
  // Sends what can be sent and receives at most 1 MiB, without waiting. The replies that came are added to `replies`,
  // in the order of what was asked; those that came before a fault, too. They are never more than were asked for.
  std::expected<void, RedisFault> advance(std::vector<RedisReply>& replies);
  // Whether advance() waits for room to send, too.
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // Where nothing was asked: whether the connection is there, as far as this side knows.
  [[nodiscard]] bool is_alive();

  [[nodiscard]] int socket() const { return socket_.number(); }

 private:
  explicit RedisConnection(RedisSocket socket) : socket_(std::move(socket)) {}
  std::expected<void, RedisFault> send_unsent();
  std::expected<void, RedisFault> receive(std::vector<RedisReply>& replies);

  RedisSocket socket_;
  std::string unsent_;
  RedisReplyReader reader_;
};

}  // namespace portail
