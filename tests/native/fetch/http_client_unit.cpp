// Exchanges with peers that send for ever, and with those that close the connection.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/fetch/http_client.hpp"
#include "tests/stores/connections.hpp"

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
  static HttpRequest request() { return {.target = "/"}; }
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

// Returns the status, the header `Link` and the body of an answer after which its peer closes the connection; or the
// reason of the fault.
std::string closed_after(std::string_view answer) {
  const LoopbackListener listener;
  const std::jthread peer([&listener, answer] {
    const Descriptor connection(accept(listener.number(), nullptr, nullptr));
    std::array<char, 4096> request{};
    EXPECT_GT(recv(connection.number(), request.data(), request.size(), 0), 0);
    EXPECT_EQ(send(connection.number(), answer.data(), answer.size(), MSG_NOSIGNAL), std::ssize(answer));
  });
  HttpClient client(*parse_url("http://127.0.0.1:" + std::to_string(listener.port()) + "/"));
  const auto received = client.exchange({.target = "/"}, steady_clock::now() + std::chrono::minutes(1));
  if (!received) return received.error().reason;
  std::string text = std::to_string(received->status) + ' ';
  return text.append(received->header("link")).append(" ").append(received->body);
}

TEST(ClosedConnection, EndsAnAnswerWithoutALength) {
  EXPECT_EQ(closed_after("HTTP/1.1 200 OK\r\nLink: a\r\n\r\n{}"), "200 a {}");
  EXPECT_EQ(closed_after("HTTP/1.0 200 OK\r\n\r\n"), "200  ");
}

TEST(ClosedConnection, CutsOffAnAnswerWithALength) {
  constexpr std::string_view cut = "the answer was cut off";
  EXPECT_EQ(closed_after("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"), cut);
  EXPECT_EQ(closed_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), cut);
  // libcurl's text, of its version.
  EXPECT_THAT(closed_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n"),
              ::testing::HasSubstr("chunk"));
  constexpr std::string_view none = "the connection was closed without an answer";
  EXPECT_EQ(closed_after(""), none);
  EXPECT_EQ(closed_after("HTTP/1.1 103 Early Hints\r\n\r\n"), none);
}

TEST(HttpClient, SkipsInterimAnswers) {
  EXPECT_EQ(closed_after("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
            "200  {}");
  EXPECT_EQ(closed_after("HTTP/1.1 204 No Content\r\n\r\n"), "204  ");
  EXPECT_EQ(closed_after("HTTP/1.1 101 Switching Protocols\r\nLink: a\r\n\r\n"),
            "it answered 101, and no other protocol was requested");
}

TEST(HttpClient, EndsAHandshakeAtTheConnectTimeout) {
  EndlessPeer peer(peers[5]);
  HttpClient client(peer.url(), {.connect_timeout = milliseconds(400)});
  const auto answer = client.exchange({.target = "/"}, steady_clock::now() + std::chrono::hours(1));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::timed_out);
  EXPECT_LT(peer.pieces(), max_pieces);
}

TEST(HttpClient, RefusesAHeaderWithAControlCharacter) {
  HttpClient client(*parse_url("http://127.0.0.1:1/"));
  const auto refused = client.exchange({.target = "/", .headers = {{"Accept-Language", "fr\r\nHost: b"}}},
                                       steady_clock::now() + std::chrono::minutes(1));
  EXPECT_EQ(refused.error().reason, "a header has a control character");
}

}  // namespace
}  // namespace portail
