// A fake Redis server with scripted answers, for failures that a real server produces rarely.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "native/stores/redis/redis_url.hpp"
#include "tests/stores/connections.hpp"

namespace portail {

class FakeRedisServer {
 public:
  // The answers on one connection, one for each request; then the connection is closed. At nullopt the server is silent
  // until the peer closes the connection.
  using Answers = std::vector<std::optional<std::string>>;

  // `connections` has the answers of each connection, in the order of accepting; further connections are not accepted.
  explicit FakeRedisServer(std::vector<Answers> connections) : connections_(std::move(connections)) {
    url.port = listener_.port();
    thread_ = std::jthread([this] { serve(); });
  }
  FakeRedisServer(const FakeRedisServer&) = delete;
  FakeRedisServer& operator=(const FakeRedisServer&) = delete;
  ~FakeRedisServer() {
    shutdown(listener_.number(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] int accepted() const { return accepted_; }
  // Waits for the end of all scripted connections. Returns the bytes of their requests.
  std::string requests() {
    if (thread_.joinable()) thread_.join();
    return requests_;
  }
  // Returns how many times requests were received; requests that arrive together count once.
  [[nodiscard]] int received() const { return received_; }

  redis::Url url{.user = "", .password = "", .host = "127.0.0.1"};

 private:
  void serve() {
    for (const Answers& answers : connections_) {
      const int peer = accept(listener_.number(), nullptr, nullptr);
      if (peer < 0) return;
      ++accepted_;
      answer(peer, answers);
      close(peer);
    }
  }
  void answer(int peer, const Answers& answers) {
    for (const auto& reply : answers) {
      if (!receive(peer)) return;
      if (reply) {
        send(peer, reply->data(), reply->size(), MSG_NOSIGNAL);
      } else {
        while (receive(peer)) {
        }
      }
    }
  }
  bool receive(int peer) {
    std::array<char, 64 * 1024> request;
    const ssize_t count = recv(peer, request.data(), request.size(), 0);
    if (count <= 0) return false;
    requests_.append(request.data(), static_cast<std::size_t>(count));
    ++received_;
    return true;
  }

  std::vector<Answers> connections_;
  LoopbackListener listener_;
  std::atomic<int> accepted_ = 0;
  std::string requests_;  // of thread_ until it has ended
  std::atomic<int> received_ = 0;
  std::jthread thread_;
};

}  // namespace portail
