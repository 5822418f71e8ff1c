// How long each state of a connection may last: the times that docs/reference/limits.md promises. The peer is a script,
// and what is looked at is the deadline that the connection waits for; front_door_test.py sees what happens when it
// passes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "native/host/access_log.hpp"
#include "native/http/request_body.hpp"
#include "native/server/connection.hpp"
#include "native/server/portal_handler.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A peer that is slow wherever the test wants it to be.
class SlowStream final : public ByteStream {
 public:
  bool handshake_done = true;
  std::string arriving;        // what can be read
  std::size_t room = 100'000;  // how much can be written
  std::string received;        // what was

  std::expected<void, Stall> open() override {
    if (!handshake_done) return std::unexpected(Stall::until_readable);
    return {};
  }
  std::expected<std::size_t, Stall> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), arriving.size());
    if (count == 0) return std::unexpected(Stall::until_readable);
    std::ranges::copy(arriving.substr(0, count), into.begin());
    arriving.erase(0, count);
    return count;
  }
  [[nodiscard]] bool has_pending() const override { return !arriving.empty(); }
  std::expected<std::size_t, Stall> write(std::string_view bytes) override {
    const std::size_t count = std::min(room, bytes.size());
    if (count == 0) return std::unexpected(Stall::until_writable);
    room -= count;
    received += bytes.substr(0, count);
    return count;
  }
  void finish() override {}
};

class Deadlines : public testing::Test {
 protected:
  // Makes it run until it waits, and gives how long from now it may.
  template <class Run>
  void expect_patience(std::chrono::milliseconds patience, Run run) {
    const auto before = steady_clock::now();
    run();
    const auto after = steady_clock::now();
    ASSERT_TRUE(parking.is_taken());
    EXPECT_GE(parking.deadline(), before + patience);
    EXPECT_LE(parking.deadline(), after + patience);
  }
  // And that going on does not give it more time.
  void expect_no_further_patience() {
    const Deadline deadline = parking.deadline();
    parking.resume();
    ASSERT_TRUE(parking.is_taken());
    EXPECT_EQ(parking.deadline(), deadline);
  }
  void start() {
    task.emplace(connection.serve());
    task->start([](void*) {}, nullptr);
  }
  void resume() { parking.resume(); }
  static Settings loopback_settings() {
    Settings settings;
    settings.transport = Transport::loopback;
    return settings;
  }

  TestContext test;
  SlowStream stream;
  Parking parking;
  MemoryStore store;
  FixedKeys keys;  // none: nobody here has a token
  Service service{loopback_settings(), keys, store};
  JsonLog log{LogLevel::error};
  AccessLog access_log{log, "key", false};
  RequestMetrics metrics;
  PortalHandler handler{service};
  Host host{handler, test.clock, test.random, test.log, access_log, metrics};
  std::atomic<bool> draining = false;
  std::atomic<bool> stopping = false;
  std::atomic<bool> idle = false;
  LoadShedding::Duration waited{};
  LoadShedding load{std::chrono::milliseconds(0)};
  Connection connection{host,
                        stream,
                        parking,
                        {},
                        {.draining = draining, .stopping = stopping, .idle = idle, .waited = waited, .load = load}};
  std::optional<Task<void>> task;
};

constexpr std::string_view small_request = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n";

TEST_F(Deadlines, AHandshakeHas10Seconds) {
  stream.handshake_done = false;
  expect_patience(10s, [this] { start(); });
  expect_no_further_patience();
}

TEST_F(Deadlines, AnIdleConnectionHas15Seconds) {
  expect_patience(15s, [this] { start(); });
  expect_no_further_patience();
  EXPECT_TRUE(idle);
  stream.arriving = small_request;
  expect_patience(15s, [this] { resume(); });
  EXPECT_TRUE(stream.received.starts_with("HTTP/1.1 200 "));
}

TEST_F(Deadlines, AHeadHas10SecondsFromItsFirstByte) {
  start();
  stream.arriving = "G";
  expect_patience(10s, [this] { resume(); });
  stream.arriving = "E";
  expect_no_further_patience();
  stream.arriving = "T / HTTP/1.1\r\nHost: h\r\n";
  expect_no_further_patience();
}

TEST_F(Deadlines, ABodyHas20SecondsFromWhenItIsWanted) {
  start();
  stream.arriving = "PUT /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
  expect_patience(20s, [this] { resume(); });
  stream.arriving = "{";
  expect_no_further_patience();
  stream.arriving = "    ";
  expect_patience(15s, [this] { resume(); });
}

TEST_F(Deadlines, WhoTakesNothingOfAnAnswerHas30Seconds) {
  start();
  stream.room = 0;
  stream.arriving = small_request;
  expect_patience(30s, [this] { resume(); });
  EXPECT_EQ(parking.what(), Parking::For::writing);
  // Whoever takes some begins anew.
  stream.room = 1;
  expect_patience(30s, [this] { resume(); });
  EXPECT_EQ(stream.received, "H");
}

TEST_F(Deadlines, AnAnswerHasNoMoreThanWhatIsLeftOfItsTime) {
  AwaitedStream awaited(stream, parking);
  stream.room = 0;
  const Deadline soon = steady_clock::now() + 3s;
  auto writing = awaited.write(test.context, "bytes", soon);
  writing.start([](void*) {}, nullptr);
  ASSERT_TRUE(parking.is_taken());
  EXPECT_EQ(parking.deadline(), soon);
  stream.room = 2;
  resume();
  EXPECT_EQ(parking.deadline(), soon);
  stream.room = 3;
  resume();
  EXPECT_TRUE(writing.done());
}

TEST_F(Deadlines, AllOfAnAnswerHas5Minutes) {
  AwaitedStream awaited(stream, parking);
  ResponseWriter writer(awaited);
  Response response;
  response.body = "body";
  const ResponseFraming framing;
  stream.room = 0;
  const auto before = steady_clock::now();
  auto writing = writer.write(test.context, response, framing);
  writing.start([](void*) {}, nullptr);
  EXPECT_GE(writer.deadline(), before + 5min);
  EXPECT_LE(writer.deadline(), steady_clock::now() + 5min);
  const Deadline whole = writer.deadline();
  stream.room = 1;
  resume();
  EXPECT_EQ(writer.deadline(), whole);
}

}  // namespace
}  // namespace portail
