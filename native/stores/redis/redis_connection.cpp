#include "native/stores/redis/redis_connection.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {
namespace {

RedisRequest greeting(const RedisUrl& url) {
  RedisRequest request;
  if (!url.password.empty()) {
    if (url.user.empty()) {
      request.add({"AUTH", url.password});
    } else {
      request.add({"AUTH", url.user, url.password});
    }
  }
  if (url.database != 0) request.add({"SELECT", std::to_string(url.database)});
  request.add({"PING"});
  return request;
}

}  // namespace

std::expected<RedisConnection, RedisFault> RedisConnection::open(const RedisUrl& url, EngineDeadline deadline) {
  deadline = sooner(deadline, longest_connect);
  auto socket = RedisSocket::connect(url, deadline);
  if (!socket) return std::unexpected(socket.error());
  RedisConnection connection(std::move(*socket));
  if (auto greeted = connection.ask(greeting(url), deadline); !greeted) return std::unexpected(greeted.error());
  return connection;
}

std::expected<std::vector<RedisReply>, RedisFault> RedisConnection::ask(const RedisRequest& request,
                                                                        EngineDeadline deadline) {
  send(request);
  std::vector<RedisReply> replies;
  while (true) {
    const auto advanced = advance(replies);
    // A server that refuses a connection says why, and ends it.
    if (auto refusal = first_refusal(replies); refusal && (!advanced || replies.size() == request.count())) {
      return std::unexpected(std::move(*refusal));
    }
    if (replies.size() == request.count()) return replies;
    if (!advanced) return std::unexpected(advanced.error());
    if (auto ready = socket_.wait(has_unsent(), deadline); !ready) return std::unexpected(ready.error());
  }
}

std::expected<void, RedisFault> RedisConnection::advance(std::vector<RedisReply>& replies) {
  const auto sent = send_unsent();
  // What the server said before it ended the connection is told rather than that it did.
  const auto received = receive(replies);
  return received ? sent : received;
}

std::expected<void, RedisFault> RedisConnection::send_unsent() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const auto count = socket_.send(std::string_view(unsent_).substr(sent));
    if (!count) return std::unexpected(count.error());
    if (*count == 0) break;
    sent += *count;
  }
  unsent_.erase(0, sent);
  return {};
}

std::expected<void, RedisFault> RedisConnection::receive(std::vector<RedisReply>& replies) {
  constexpr std::size_t max_received =
      std::size_t{1024} * 1024;  // a peer that goes on sending must not keep the thread
  std::array<char, 64 * 1024> bytes;
  for (std::size_t received = 0; received < max_received;) {
    const auto count = socket_.receive(bytes);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return {};
    received += *count;
    reader_.feed(std::span(bytes).first(*count));
    while (true) {
      auto reply = reader_.next();
      if (!reply) return std::unexpected(reply.error());
      if (!*reply) break;
      replies.push_back(std::move(*reply));
    }
  }
  return {};
}

bool RedisConnection::is_alive() {
  std::vector<RedisReply> replies;
  return advance(replies).has_value() && replies.empty();
}

}  // namespace portail
