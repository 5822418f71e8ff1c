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

namespace portail::redis {
namespace {

Request greeting(const Url& url) {
  Request request;
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

std::expected<Connection, Fault> Connection::open(const Url& url, engine::Deadline deadline) {
  deadline = engine::limit_deadline(deadline, connect_timeout);
  auto socket = Socket::connect(url, deadline);
  if (!socket) return std::unexpected(socket.error());
  Connection connection(std::move(*socket));
  if (auto greeted = connection.execute(greeting(url), deadline); !greeted) return std::unexpected(greeted.error());
  return connection;
}

std::expected<std::vector<Reply>, Fault> Connection::execute(const Request& request, engine::Deadline deadline) {
  send(request);
  std::vector<Reply> replies;
  while (true) {
    const auto advanced = advance(replies);
    // A server that refuses a connection sends the reason and closes it.
    if (auto fault = first_fault(replies); fault && (!advanced || replies.size() == request.count())) {
      return std::unexpected(std::move(*fault));
    }
    if (replies.size() == request.count()) return replies;
    if (!advanced) return std::unexpected(advanced.error());
    if (auto ready = socket_.wait(has_unsent(), deadline); !ready) return std::unexpected(ready.error());
  }
}

std::expected<void, Fault> Connection::advance(std::vector<Reply>& replies) {
  const auto sent = send_unsent();
  // If the server sent an error before it closed the connection, that error is reported.
  const auto received = receive(replies);
  return received ? sent : received;
}

std::expected<void, Fault> Connection::send_unsent() {
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

std::expected<void, Fault> Connection::receive(std::vector<Reply>& replies) {
  constexpr std::size_t max_received = std::size_t{1024} * 1024;  // bounds the time spent on a peer that keeps sending
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

bool Connection::is_alive() {
  std::vector<Reply> replies;
  return advance(replies).has_value() && replies.empty();
}

}  // namespace portail::redis
