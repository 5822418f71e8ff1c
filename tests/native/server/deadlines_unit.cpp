// The timeouts of each state of a connection, which docs/reference/limits.md lists. The peer is scripted, and the tests
// check the deadline of each wait; front_door_test.py covers what happens when it passes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "native/http/connection_reader.hpp"
#include "native/server/connection.hpp"
#include "native/server/portal_handler.hpp"
#include "native/telemetry/access_log.hpp"
#include "tests/support/test_context.hpp"

namespace portail::server {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A peer whose speed the test controls.
class SlowStream final : public ByteStream {
 public:
  bool is_handshake_done = true;
  std::string readable_bytes;           // bytes that can be read
  std::size_t writable_size = 100'000;  // number of bytes that can be written
  std::string received;                 // bytes that were written

  std::expected<void, StreamStatus> open() override {
    if (!is_handshake_done) return std::unexpected(StreamStatus::want_read);
    return {};
  }
  std::expected<std::size_t, StreamStatus> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), readable_bytes.size());
    if (count == 0) return std::unexpected(StreamStatus::want_read);
    std::ranges::copy(readable_bytes.substr(0, count), into.begin());
    readable_bytes.erase(0, count);
    return count;
  }
  [[nodiscard]] bool has_pending() const override { return !readable_bytes.empty(); }
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override {
    const std::size_t count = std::min(writable_size, bytes.size());
    if (count == 0) return std::unexpected(StreamStatus::want_write);
    writable_size -= count;
    received += bytes.substr(0, count);
    return count;
  }
  void finish() override {}
};

// Records the deadline of the last request.
class RecordingHandler final : public RequestHandler {
 public:
  explicit RecordingHandler(const RequestHandler& handler) : handler_(handler) {}

  Task<Response> handle(Context& context, const Request& request) const override {
    last_deadline = context.deadline;
    return handler_.handle(context, request);
  }
  std::optional<Response> shed(Context& context, const Request& request) const override {
    return handler_.shed(context, request);
  }

  mutable Instant last_deadline{};

 private:
  const RequestHandler& handler_;
};

class Deadlines : public testing::Test {
 protected:
  // Runs the connection until it waits, and checks that the deadline is `timeout` from now.
  template <class Run>
  void expect_timeout(std::chrono::milliseconds timeout, Run run) {
    const auto before = steady_clock::now();
    run();
    const auto after = steady_clock::now();
    ASSERT_TRUE(suspension.is_suspended());
    EXPECT_GE(suspension.deadline(), before + timeout);
    EXPECT_LE(suspension.deadline(), after + timeout);
  }
  // Resumes the connection and checks that the deadline is unchanged.
  void expect_same_deadline() {
    const Deadline deadline = suspension.deadline();
    suspension.resume();
    ASSERT_TRUE(suspension.is_suspended());
    EXPECT_EQ(suspension.deadline(), deadline);
  }
  void start() {
    task.emplace(connection.serve());
    task->start([](void*) {}, nullptr);
  }
  void resume() { suspension.resume(); }
  static Settings loopback_settings() {
    Settings settings;
    settings.transport = Transport::loopback;
    return settings;
  }

  TestContext test;
  SlowStream stream;
  ConnectionSuspension suspension;
  MemoryStore store;
  FixedKeys keys;  // none: no request of this test has a token
  Service service{loopback_settings(), keys, store};
  JsonLog log{LogLevel::error};
  AccessLog access_log{log, "key", false};
  RequestMetrics metrics;
  PortalHandler portal{service};
  RecordingHandler handler{portal};
  Host host{handler, test.clock, test.random, test.log, access_log, metrics};
  std::atomic<bool> draining = false;
  std::atomic<bool> stopping = false;
  std::atomic<bool> ending = false;
  std::atomic<bool> idle = false;
  LoadShedding::Duration queue_time{};
  LoadShedding load{std::chrono::milliseconds(0)};
  Connection connection{host,
                        stream,
                        suspension,
                        {},
                        {.draining = draining,
                         .stopping = stopping,
                         .ending = ending,
                         .idle = idle,
                         .queue_time = queue_time,
                         .load = load}};
  std::optional<Task<void>> task;
};

constexpr std::string_view small_request = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n";

TEST_F(Deadlines, AHandshakeHas10Seconds) {
  stream.is_handshake_done = false;
  expect_timeout(10s, [this] { start(); });
  expect_same_deadline();
}

TEST_F(Deadlines, AnIdleConnectionHas15Seconds) {
  expect_timeout(15s, [this] { start(); });
  expect_same_deadline();
  EXPECT_TRUE(idle);
  stream.readable_bytes = small_request;
  expect_timeout(15s, [this] { resume(); });
  EXPECT_TRUE(stream.received.starts_with("HTTP/1.1 200 "));
}

TEST_F(Deadlines, AHeadHas10SecondsFromItsFirstByte) {
  start();
  stream.readable_bytes = "G";
  expect_timeout(10s, [this] { resume(); });
  stream.readable_bytes = "E";
  expect_same_deadline();
  stream.readable_bytes = "T / HTTP/1.1\r\nHost: h\r\n";
  expect_same_deadline();
}

TEST_F(Deadlines, ARequestHas30Seconds) {
  start();
  stream.readable_bytes = small_request;
  resume();
  EXPECT_TRUE(stream.received.starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(handler.last_deadline.microseconds, test.clock.now().microseconds + 30'000'000);
}

TEST_F(Deadlines, ABodyHas20SecondsFromItsFirstRead) {
  start();
  stream.readable_bytes = "PUT /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
  expect_timeout(20s, [this] { resume(); });
  stream.readable_bytes = "{";
  expect_same_deadline();
  stream.readable_bytes = "    ";
  expect_timeout(15s, [this] { resume(); });
}

TEST_F(Deadlines, AClientThatDoesNotReadHas30Seconds) {
  start();
  stream.writable_size = 0;
  stream.readable_bytes = small_request;
  expect_timeout(30s, [this] { resume(); });
  EXPECT_EQ(suspension.event(), ConnectionSuspension::Event::writable);
  // Progress restarts the timeout.
  stream.writable_size = 1;
  expect_timeout(30s, [this] { resume(); });
  EXPECT_EQ(stream.received, "H");
}

TEST_F(Deadlines, AWriteHasAtMostTheRemainingTime) {
  AsyncStream awaited(stream, suspension);
  stream.writable_size = 0;
  const Deadline soon = steady_clock::now() + 3s;
  auto writing = awaited.write(test.context, "bytes", soon);
  writing.start([](void*) {}, nullptr);
  ASSERT_TRUE(suspension.is_suspended());
  EXPECT_EQ(suspension.deadline(), soon);
  stream.writable_size = 2;
  resume();
  EXPECT_EQ(suspension.deadline(), soon);
  stream.writable_size = 3;
  resume();
  EXPECT_TRUE(writing.done());
}

TEST_F(Deadlines, AWholeAnswerHas5Minutes) {
  AsyncStream awaited(stream, suspension);
  ResponseWriter writer(awaited);
  Response response;
  response.body = "body";
  const ResponseFraming framing;
  stream.writable_size = 0;
  const auto before = steady_clock::now();
  auto writing = writer.write(test.context, response, framing);
  writing.start([](void*) {}, nullptr);
  EXPECT_GE(writer.deadline(), before + 5min);
  EXPECT_LE(writer.deadline(), steady_clock::now() + 5min);
  const Deadline whole = writer.deadline();
  stream.writable_size = 1;
  resume();
  EXPECT_EQ(writer.deadline(), whole);
}

}  // namespace
}  // namespace portail::server
