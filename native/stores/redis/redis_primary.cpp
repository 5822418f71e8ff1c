#include "native/stores/redis/redis_primary.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portail {
namespace {

constexpr std::chrono::seconds longest_asking{1};  // of one sentinel

RedisUrl server_at(const RedisUrl& url, const RedisAddress& address) {
  RedisUrl server = url;
  server.sentinels.clear();
  server.host = address.host;
  server.port = address.port;
  return server;
}

std::expected<RedisConnection, RedisFault> open_sentinel(const RedisUrl& url, const RedisAddress& sentinel,
                                                         EngineDeadline deadline) {
  RedisUrl known = server_at(url, sentinel);
  known.database = 0;
  RedisUrl unknown = known;
  unknown.user.clear();
  unknown.password.clear();
  // A sentinel without a password refuses a client that sends one.
  auto opened = RedisConnection::open(unknown, deadline);
  const bool is_asked_for = !opened && opened.error().wants_password && !url.password.empty();
  return is_asked_for ? RedisConnection::open(known, deadline) : std::move(opened);
}

// Null where the sentinel knows no primary of that name.
std::expected<std::optional<RedisAddress>, RedisFault> ask_sentinel(const RedisUrl& url, const RedisAddress& sentinel,
                                                                    EngineDeadline deadline) {
  deadline = sooner(deadline, longest_asking);
  auto connection = open_sentinel(url, sentinel, deadline);
  if (!connection) return std::unexpected(std::move(connection.error()));
  const auto replies = connection->ask({"SENTINEL", "get-master-addr-by-name", url.primary}, deadline);
  if (!replies) return std::unexpected(replies.error());
  const redisReply& named = *replies->front();
  if (named.type == REDIS_REPLY_NIL) return std::nullopt;
  const auto parts = elements_of(named);
  const auto host = parts.size() == 2 ? text_of(*parts[0]) : std::nullopt;
  const auto port = parts.size() == 2 ? text_of(*parts[1]) : std::nullopt;
  auto address = host && port ? redis_address(*host, *port) : std::nullopt;
  if (!address) return std::unexpected(unexpected_reply());
  return address;
}

std::expected<RedisConnection, RedisFault> open_primary(const RedisUrl& url, const RedisAddress& address,
                                                        EngineDeadline deadline) {
  deadline = sooner(deadline, RedisConnection::longest_connect);
  auto connection = RedisConnection::open(server_at(url, address), deadline);
  if (!connection) return connection;
  const auto replies = connection->ask({"ROLE"}, deadline);
  if (!replies) return std::unexpected(replies.error());
  const auto parts = elements_of(*replies->front());
  const auto role = parts.empty() ? std::nullopt : text_of(*parts[0]);
  if (!role) return std::unexpected(unexpected_reply());
  if (*role != "master") return std::unexpected(RedisFault{.text = "it says that it is a replica", .is_replica = true});
  return connection;
}

}  // namespace

std::expected<RedisConnection, RedisFault> connect_to_primary(const RedisUrl& url, EngineDeadline deadline) {
  if (url.sentinels.empty()) return RedisConnection::open(url, deadline);
  std::vector<RedisAddress> tried;
  std::optional<RedisFault> unusable;
  bool one_answers = false;
  std::string unanswered;
  for (const RedisAddress& sentinel : url.sentinels) {
    const auto named = ask_sentinel(url, sentinel, deadline);
    if (!named) {
      unanswered += (unanswered.empty() ? "" : "; ") + sentinel.text() + ": " + named.error().text;
      continue;
    }
    one_answers = true;
    if (!*named || std::ranges::contains(tried, **named)) continue;
    auto primary = open_primary(url, **named, deadline);
    if (primary) return primary;
    unusable = std::move(primary.error());
    unusable->text.insert(0, "the primary, " + (*named)->text() + ": ");
    tried.push_back(**named);
  }
  if (unusable) return std::unexpected(std::move(*unusable));
  if (one_answers) return std::unexpected(RedisFault{.text = "no sentinel that answers knows a primary of that name"});
  return std::unexpected(RedisFault{.text = "no sentinel answers: " + unanswered});
}

}  // namespace portail
