#include "native/stores/redis/redis_primary.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portail::redis {
namespace {

constexpr std::chrono::seconds sentinel_timeout{1};  // for each sentinel

Url server_at(const Url& url, const Address& address) {
  Url server = url;
  server.sentinels.clear();
  server.host = address.host;
  server.port = address.port;
  return server;
}

std::expected<Connection, Fault> open_sentinel(const Url& url, const Address& sentinel, engine::Deadline deadline) {
  Url with_password = server_at(url, sentinel);
  with_password.database = 0;
  Url without_password = with_password;
  without_password.user.clear();
  without_password.password.clear();
  // A sentinel without a password rejects a client that sends one.
  auto opened = Connection::open(without_password, deadline);
  const bool is_password_required = !opened && opened.error().requires_password && !url.password.empty();
  return is_password_required ? Connection::open(with_password, deadline) : std::move(opened);
}

// Returns nullopt if the sentinel has no primary of that name.
std::expected<std::optional<Address>, Fault> query_sentinel(const Url& url, const Address& sentinel,
                                                            engine::Deadline deadline) {
  deadline = engine::limit_deadline(deadline, sentinel_timeout);
  auto connection = open_sentinel(url, sentinel, deadline);
  if (!connection) return std::unexpected(std::move(connection.error()));
  const auto replies = connection->execute({"SENTINEL", "get-master-addr-by-name", url.primary}, deadline);
  if (!replies) return std::unexpected(replies.error());
  const redisReply& reported = *replies->front();
  if (reported.type == REDIS_REPLY_NIL) return std::nullopt;
  const auto parts = elements_of(reported);
  const auto host = parts.size() == 2 ? text_of(*parts[0]) : std::nullopt;
  const auto port = parts.size() == 2 ? text_of(*parts[1]) : std::nullopt;
  auto address = host && port ? make_address(*host, *port) : std::nullopt;
  if (!address) return std::unexpected(unexpected_reply());
  return address;
}

std::expected<Connection, Fault> open_primary(const Url& url, const Address& address, engine::Deadline deadline) {
  deadline = engine::limit_deadline(deadline, Connection::connect_timeout);
  auto connection = Connection::open(server_at(url, address), deadline);
  if (!connection) return connection;
  const auto replies = connection->execute({"ROLE"}, deadline);
  if (!replies) return std::unexpected(replies.error());
  const auto parts = elements_of(*replies->front());
  const auto role = parts.empty() ? std::nullopt : text_of(*parts[0]);
  if (!role) return std::unexpected(unexpected_reply());
  if (*role != "master")
    return std::unexpected(Fault{.message = "it reports that it is a replica", .is_replica = true});
  return connection;
}

}  // namespace

std::expected<Connection, Fault> connect_to_primary(const Url& url, engine::Deadline deadline) {
  if (url.sentinels.empty()) return Connection::open(url, deadline);
  std::vector<Address> tried;
  std::optional<Fault> unusable;
  bool has_response = false;
  std::string failures;
  for (const Address& sentinel : url.sentinels) {
    const auto reported = query_sentinel(url, sentinel, deadline);
    if (!reported) {
      failures += (failures.empty() ? "" : "; ") + sentinel.text() + ": " + reported.error().message;
      continue;
    }
    has_response = true;
    if (!*reported || std::ranges::contains(tried, **reported)) continue;
    auto primary = open_primary(url, **reported, deadline);
    if (primary) return primary;
    unusable = std::move(primary.error());
    unusable->message.insert(0, "the primary, " + (*reported)->text() + ": ");
    tried.push_back(**reported);
  }
  if (unusable) return std::unexpected(std::move(*unusable));
  if (has_response) return std::unexpected(Fault{.message = "no reachable sentinel has a primary of that name"});
  return std::unexpected(Fault{.message = "no sentinel answers: " + failures});
}

}  // namespace portail::redis
