// A fetch that stalls says that it timed out, whatever the fraction of a millisecond of its deadline.
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/fetch/fetch.hpp"
#include "tests/stores/connections.hpp"

namespace portail {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// Answers each connection with a head and the first byte of a body, and nothing more.
class StallingServer {
 public:
  StallingServer() : thread_([this] { serve(); }) {}
  StallingServer(const StallingServer&) = delete;
  StallingServer& operator=(const StallingServer&) = delete;
  ~StallingServer() { shutdown(listener_.number(), SHUT_RDWR); }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()) + "/"; }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void serve() {
    constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{";
    std::vector<Descriptor> open;
    for (;;) {
      Descriptor connection(accept(listener_.number(), nullptr, nullptr));
      if (!connection) return;
      std::array<char, 4096> request{};
      if (recv(connection.number(), request.data(), request.size(), 0) <= 0) continue;
      if (send(connection.number(), answer.data(), answer.size(), MSG_NOSIGNAL) < 0) continue;
      ++connections_;
      open.push_back(std::move(connection));
    }
  }

  LoopbackListener listener_;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

TEST(Fetch, SaysThatItTimedOut) {
  const StallingServer server;
  constexpr int attempts = 30;
  for (int i = 0; i < attempts; ++i) {
    // The whole milliseconds that remain are up to one less.
    const FetchRequest request{.url = *parse_url(server.url()),
                               .max_size = 4096,
                               .deadline = steady_clock::now() + microseconds(60'000 + i * 33)};
    const auto fetched = fetch(request, [](std::string_view) { return true; });
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error(), "timed out");
  }
  EXPECT_GT(server.connections(), 0);
}

}  // namespace
}  // namespace portail
