#include "native/stores/redis/redis_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace portail {
namespace {

RedisFault unreachable(std::string_view why) { return {.text = "it cannot be reached: " + std::string(why)}; }
RedisFault lost(std::string_view why) { return {.text = "the connection was lost: " + std::string(why), .lost = true}; }

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

std::expected<Addresses, RedisFault> look_up(const RedisUrl& url) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &wanted, &found);
  if (code != 0) return std::unexpected(unreachable(gai_strerror(code)));
  return Addresses(found);
}

// Waits until one of the events has come, or an error that the next call on the socket will tell.
std::expected<short, RedisFault> wait_for(const Descriptor& socket, short events, RedisDeadline deadline) {
  using std::chrono::ceil, std::chrono::milliseconds;
  while (true) {
    const auto left = ceil<milliseconds>(deadline.at - std::chrono::steady_clock::now());
    pollfd watched{.fd = socket.number(), .events = events, .revents = 0};
    const int found = poll(&watched, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (found > 0) return watched.revents;
    if (found < 0 && errno != EINTR) return std::unexpected(lost(std::strerror(errno)));
    if (found == 0) return std::unexpected(RedisFault{.failure = deadline.when_passed, .text = "it takes too long"});
  }
}

std::expected<Descriptor, RedisFault> connect_to(const addrinfo& address, RedisDeadline deadline) {
  Descriptor made(socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  if (!made) return std::unexpected(unreachable(std::strerror(errno)));
  if (connect(made.number(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return std::unexpected(unreachable(std::strerror(errno)));
    if (auto connected = wait_for(made, POLLOUT, deadline); !connected) return std::unexpected(connected.error());
    int code = 0;
    socklen_t size = sizeof code;
    getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &code, &size);
    if (code != 0) return std::unexpected(unreachable(std::strerror(code)));
  }
  const int on = 1;
  setsockopt(made.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A server that vanished without a word is noticed by whoever kept the connection for later.
  setsockopt(made.number(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return made;
}

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

std::expected<RedisConnection, RedisFault> RedisConnection::open(const RedisUrl& url, RedisDeadline deadline) {
  auto addresses = look_up(url);
  if (!addresses) return std::unexpected(addresses.error());
  const auto bound = std::chrono::steady_clock::now() + longest_connect;
  if (bound < deadline.at) deadline = {.at = bound};
  RedisFault fault = unreachable("its name has no address");
  for (const addrinfo* address = addresses->get(); address; address = address->ai_next) {
    auto made = connect_to(*address, deadline);
    if (!made) {
      fault = made.error();
      continue;
    }
    RedisConnection connection(std::move(*made));
    if (auto greeted = connection.ask(greeting(url), deadline); !greeted) return std::unexpected(greeted.error());
    return connection;
  }
  return std::unexpected(fault);
}

std::expected<std::vector<RedisReply>, RedisFault> RedisConnection::ask(const RedisRequest& request,
                                                                        RedisDeadline deadline) {
  std::string_view unsent = request.bytes();
  std::vector<RedisReply> replies;
  std::optional<RedisFault> refusal;
  while (replies.size() < request.count()) {
    if (!unsent.empty()) {
      const ssize_t sent = send(socket_.number(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
      if (sent > 0) unsent.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        return std::unexpected(refusal.value_or(lost(std::strerror(errno))));
      }
    }
    // Replies are taken while there is still something to send: the server may wait for that.
    const short events = unsent.empty() ? POLLIN : POLLIN | POLLOUT;
    const auto ready = wait_for(socket_, events, deadline);
    if (!ready) return std::unexpected(ready.error());
    if (*ready == POLLOUT) continue;
    // A server that refuses a connection says why, and ends it.
    if (auto received = receive(); !received) return std::unexpected(refusal.value_or(received.error()));
    while (replies.size() < request.count()) {
      auto reply = reader_.next();
      if (!reply) return std::unexpected(reply.error());
      if (!*reply) break;
      if (!refusal) refusal = refusal_in(**reply);
      replies.push_back(std::move(*reply));
    }
  }
  if (refusal) return std::unexpected(*refusal);
  return replies;
}

std::expected<void, RedisFault> RedisConnection::receive() {
  std::array<char, 64 * 1024> bytes;
  const ssize_t count = recv(socket_.number(), bytes.data(), bytes.size(), 0);
  if (count == 0) return std::unexpected(lost("the server ended it"));
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return {};
    return std::unexpected(lost(std::strerror(errno)));
  }
  reader_.feed(std::span(bytes).first(static_cast<std::size_t>(count)));
  return {};
}

bool RedisConnection::is_alive() const {
  // Between calls the server has nothing to say: what can be read is the end, or not meant for us.
  pollfd watched{.fd = socket_.number(), .events = POLLIN, .revents = 0};
  return poll(&watched, 1, 0) == 0;
}

}  // namespace portail
