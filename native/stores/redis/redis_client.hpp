// A few connections to one Redis server, each lent to one call at a time: as many as there are calls at once. Any
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/context.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisClient {
 public:
  static constexpr std::chrono::seconds longest_call{10};

  explicit RedisClient(RedisUrl url) : url_(std::move(url)) {}
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;

  enum class Effect : std::uint8_t { read, write };
  // The replies, one a command, none of them an error. A read on a kept connection that turns out to be gone is done
  // once more on a new one; a write never is, since nobody knows whether it was done.
  std::expected<std::vector<RedisReply>, RedisFault> ask(const RedisRequest& request, Effect effect,
                                                         RedisDeadline deadline);

  [[nodiscard]] const RedisUrl& url() const { return url_; }

 private:
  std::optional<RedisConnection> take_idle();
  void give_back(RedisConnection connection);

  RedisUrl url_;
  std::mutex mutex_;
  std::vector<RedisConnection> idle_;
};

// The request's deadline, or the longest that a call may take.
RedisDeadline redis_deadline(const Context& context);

}  // namespace portail
