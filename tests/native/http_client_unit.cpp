// Exchanges with peers that send for ever.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include "core/files/descriptor.hpp"
#include "native/fetch/http_client.hpp"
#include "tests/stores/loopback_listener.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Kind = ExchangeFault::Kind;

constexpr int max_pieces = 1200;  // for a minute

// What a peer sends first, and then again and again.
struct Endless {
  std::string_view name;
  std::string_view scheme;
  std::string_view begin;
  std::string_view piece;
};

constexpr Endless peers[] = {
    {"Head", "http", "HTTP/1.1 200 OK\r\nA: ", "a"},
    {"Body", "http", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x"},
    {"Chunks", "http", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
    {"Trailers", "http", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "T: t\r\n"},
    {"Continue", "http", "", "HTTP/1.1 100 Continue\r\n\r\n"},
    {"Handshake", "https", "\x16\x03\x03\x3f\xff", "x"},
};

// Answers one connection, until it is closed or the pieces are spent.
class EndlessPeer {
 public:
  explicit EndlessPeer(const Endless& sent) : sent_(sent), thread_([this] { serve(); }) {}
  EndlessPeer(const EndlessPeer&) = delete;
  EndlessPeer& operator=(const EndlessPeer&) = delete;
  ~EndlessPeer() { shutdown(listener_.number(), SHUT_RDWR); }

  [[nodiscard]] Url url() const {
    return *parse_url(std::string(sent_.scheme) + "://127.0.0.1:" + std::to_string(listener_.port()) + "/");
  }
  // Waits until the connection is closed. Returns how many pieces were sent.
  int pieces() {
    thread_.join();
    return pieces_;
  }

 private:
  void serve() {
    const Descriptor connection(accept(listener_.number(), nullptr, nullptr));
    std::array<char, 4096> request{};
    if (!connection || recv(connection.number(), request.data(), request.size(), 0) <= 0) return;
    const auto send_all = [&connection](std::string_view text) {
      return send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL) >= 0;
    };
    bool is_open = send_all(sent_.begin);
    for (; is_open && pieces_ < max_pieces; ++pieces_) {
      is_open = send_all(sent_.piece);
      std::this_thread::sleep_for(milliseconds(50));
    }
  }

  const Endless& sent_;
  LoopbackListener listener_;
  std::atomic<int> pieces_ = 0;
  std::jthread thread_;
};

class EndlessAnswer : public ::testing::TestWithParam<Endless> {
 protected:
  EndlessAnswer() { std::signal(SIGPIPE, SIG_IGN); }  // NOLINT(cert-err33-c): as the program does
  static httplib::Request request() {
    httplib::Request request;
    request.method = "GET";
    request.path = "/";
    return request;
  }
};

TEST_P(EndlessAnswer, EndsAtTheDeadline) {
  EndlessPeer peer(GetParam());
  HttpClient client(peer.url());
  const auto answer = client.exchange(request(), steady_clock::now() + milliseconds(400));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::timed_out);
  EXPECT_EQ(answer.error().reason, "timed out");
  EXPECT_THAT(peer.pieces(), ::testing::AllOf(::testing::Gt(0), ::testing::Lt(max_pieces)));
}

TEST_P(EndlessAnswer, EndsWhenItIsStopped) {
  EndlessPeer peer(GetParam());
  HttpClient client(peer.url());
  std::stop_source source;
  const std::jthread stopping([&source] {
    std::this_thread::sleep_for(milliseconds(200));
    source.request_stop();
  });
  const auto answer = client.exchange(request(), steady_clock::now() + std::chrono::hours(1), source.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::stopped);
  EXPECT_EQ(answer.error().reason, "stopped");
  EXPECT_LT(peer.pieces(), max_pieces);
}

INSTANTIATE_TEST_SUITE_P(HttpClient, EndlessAnswer, ::testing::ValuesIn(peers),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace portail
