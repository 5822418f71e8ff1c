// One connection to a Redis server. It waits no longer than the deadline of each call says, and after a fault it is
// good for nothing but to be destroyed. One thread at a time.
#pragma once

#include <chrono>
#include <expected>
#include <vector>

#include "core/base/failure.hpp"
#include "core/files/descriptor.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

struct RedisDeadline {
  std::chrono::steady_clock::time_point at;
  Failure when_passed = Failure::unavailable;
};

class RedisConnection {
 public:
  static constexpr std::chrono::seconds longest_connect{2};

  // Connected, as the URL's user, in its database; the server has said that it can work. The name of the host is looked
  // up by the system, in the system's own time.
  static std::expected<RedisConnection, RedisFault> open(const RedisUrl& url, RedisDeadline deadline);

  // One round trip: sends the request, and waits for one reply to each of its commands. The first reply that is an
  // error is the fault; the server has done the other commands nevertheless, where they are not in a transaction.
  std::expected<std::vector<RedisReply>, RedisFault> ask(const RedisRequest& request, RedisDeadline deadline);

  // Whether the connection is there, as far as this side knows.
  [[nodiscard]] bool is_alive() const;

 private:
  explicit RedisConnection(Descriptor socket) : socket_(std::move(socket)) {}
  std::expected<void, RedisFault> receive();

  Descriptor socket_;
  RedisReplyReader reader_;
};

}  // namespace portail
