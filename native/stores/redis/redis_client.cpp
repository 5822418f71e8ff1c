#include "native/stores/redis/redis_client.hpp"

#include <chrono>
#include <expected>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace portail {

RedisDeadline redis_deadline(const Context& context) {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::steady_clock;
  const microseconds now(context.clock.now().microseconds);
  const microseconds deadline(context.deadline.microseconds);
  const auto start = steady_clock::now();
  if (deadline >= now + RedisClient::longest_call) return {.at = start + RedisClient::longest_call};
  return {.at = start + (deadline - now), .when_passed = Failure::cancelled};
}

std::expected<std::vector<RedisReply>, RedisFault> RedisClient::ask(const RedisRequest& request, Effect effect,
                                                                    RedisDeadline deadline) {
  if (auto kept = take_idle()) {
    auto replies = kept->ask(request, deadline);
    if (replies) give_back(std::move(*kept));
    if (replies || !replies.error().lost || effect == Effect::write) return replies;
  }
  auto made = RedisConnection::open(url_, deadline);
  if (!made) return std::unexpected(made.error());
  auto replies = made->ask(request, deadline);
  if (replies) give_back(std::move(*made));
  return replies;
}

std::optional<RedisConnection> RedisClient::take_idle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    RedisConnection last = std::move(idle_.back());
    idle_.pop_back();
    if (last.is_alive()) return last;
  }
  return std::nullopt;
}

void RedisClient::give_back(RedisConnection connection) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

}  // namespace portail
