#include "native/stores/redis/redis_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <memory>
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
std::expected<short, RedisFault> wait_for(const Descriptor& socket, short events, EngineDeadline deadline) {
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

std::expected<Descriptor, RedisFault> connect_to(const addrinfo& address, EngineDeadline deadline) {
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
  // A server that vanished without a word is noticed where nothing is asked, and where nobody takes what is sent.
  setsockopt(made.number(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  const int longest_silence = 5000;  // milliseconds
  setsockopt(made.number(), IPPROTO_TCP, TCP_USER_TIMEOUT, &longest_silence, sizeof longest_silence);
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

std::expected<RedisConnection, RedisFault> RedisConnection::open(const RedisUrl& url, EngineDeadline deadline) {
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
                                                                        EngineDeadline deadline) {
  send(request);
  std::vector<RedisReply> replies;
  while (true) {
    const auto advanced = advance(replies);
    if (replies.size() > request.count()) return std::unexpected(unexpected_reply());
    // A server that refuses a connection says why, and ends it.
    if (auto refusal = first_refusal(replies); refusal && (!advanced || replies.size() == request.count())) {
      return std::unexpected(std::move(*refusal));
    }
    if (replies.size() == request.count()) return replies;
    if (!advanced) return std::unexpected(advanced.error());
    const auto events = static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
    if (const auto ready = wait_for(socket_, events, deadline); !ready) return std::unexpected(ready.error());
  }
}

std::expected<void, RedisFault> RedisConnection::advance(std::vector<RedisReply>& replies) {
  const auto sent = send_unsent();
  // What the server said before it ended the connection is told rather than that it did.
  const auto received = receive(replies);
  return received ? sent : received;
}

std::expected<void, RedisFault> RedisConnection::send_unsent() {
  std::string_view unsent = unsent_;
  while (!unsent.empty()) {
    const ssize_t count = ::send(socket_.number(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (count > 0) unsent.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0 && errno != EINTR) return std::unexpected(lost(std::strerror(errno)));
  }
  unsent_.erase(0, unsent_.size() - unsent.size());
  return {};
}

std::expected<void, RedisFault> RedisConnection::receive(std::vector<RedisReply>& replies) {
  std::array<char, 64 * 1024> bytes;
  while (true) {
    const ssize_t count = recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (count == 0) return std::unexpected(lost("the server ended it"));
    if (count < 0 && errno == EAGAIN) return {};
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(lost(std::strerror(errno)));
    reader_.feed(std::span(bytes).first(static_cast<std::size_t>(count)));
    while (true) {
      auto reply = reader_.next();
      if (!reply) return std::unexpected(reply.error());
      if (!*reply) break;
      replies.push_back(std::move(*reply));
    }
  }
}

bool RedisConnection::is_alive() {
  std::vector<RedisReply> replies;
  return advance(replies).has_value() && replies.empty();
}

}  // namespace portail
