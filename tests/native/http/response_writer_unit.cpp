// Dates of HTTP, and the memory and store sessions that an answer holds until its client has received it.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "native/http/response_writer.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

// A client that receives nothing until `is_receiving` is set.
class StalledStream final : public ByteStream {
 public:
  bool is_receiving = false;
  std::string received;

  std::expected<std::size_t, StreamStatus> read(std::span<char>) override {
    return std::unexpected(StreamStatus::want_read);
  }
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override {
    if (!is_receiving) return std::unexpected(StreamStatus::want_write);
    received += bytes;
    return bytes.size();
  }
  void finish() override {}
};

// Three chunks of 40,000 bytes; `session` stands for a session of the store.
class Chunks final : public ChunkSource {
 public:
  Chunks(int count, std::shared_ptr<int> session) : left_(count), session_(std::move(session)) {}

  Task<std::optional<std::string_view>> next(Context&) override {
    if (left_-- <= 0) co_return std::nullopt;
    co_return chunk_;
  }
  [[nodiscard]] std::size_t occupied() const override { return 1'000'000; }

 private:
  const std::string chunk_ = std::string(40'000, 'c');
  int left_;
  std::shared_ptr<int> session_;
};

class ResponseWriterTest : public testing::Test {
 protected:
  // Runs until the writer waits for the client.
  void write(bool is_head) {
    framing_ = {.omit_body = is_head, .date = "now"};
    task_.emplace(writer.write(test_.context, response, framing_));
    task_->start([](void*) {}, nullptr);
    ASSERT_TRUE(suspension_.is_suspended());
  }
  void receive_all() {
    stream.is_receiving = true;
    suspension_.resume();
    ASSERT_TRUE(task_->done());
    EXPECT_TRUE(task_->result());
  }

  StalledStream stream;
  Response response;

 private:
  TestContext test_;
  ConnectionSuspension suspension_;
  AsyncStream awaited_{stream, suspension_};
  ResponseFraming framing_;
  std::optional<Task<void>> task_;

 protected:
  ResponseWriter writer{awaited_};
};

TEST_F(ResponseWriterTest, ForHeadTheSourceIsFreedBeforeTheFirstWrite) {
  const auto session = std::make_shared<int>();
  response.body = std::make_unique<Chunks>(3, session);
  EXPECT_EQ(session.use_count(), 2);
  write(true);
  EXPECT_EQ(session.use_count(), 1);
  receive_all();
  EXPECT_EQ(stream.received, "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_F(ResponseWriterTest, ForHeadAWholeBodyIsFreedAndItsLengthIsSent) {
  response.body = std::string(5'000'000, 'b');
  write(true);
  EXPECT_LT(std::get<std::string>(response.body).capacity(), 100U);
  EXPECT_EQ(writer.occupied(), 55U);
  receive_all();
  EXPECT_EQ(stream.received, "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5000000\r\n\r\n");
  EXPECT_EQ(stream.received.size(), 55U);
}

TEST_F(ResponseWriterTest, AWholeAnswerOccupiesItsHeadAndItsBody) {
  response.body = std::string(5'000'000, 'b');
  EXPECT_EQ(writer.occupied(), 0U);
  write(false);
  EXPECT_EQ(writer.occupied(), 5'000'055U);
  receive_all();
  EXPECT_EQ(stream.received.size(), 5'000'055U);
  EXPECT_EQ(writer.occupied(), 0U);
}

// 64 KiB for the session, the source's own size, and the unsent bytes.
TEST_F(ResponseWriterTest, AStreamedAnswerOccupiesItsSourceAndItsUnsentBytes) {
  const auto session = std::make_shared<int>();
  response.body = std::make_unique<Chunks>(3, session);
  write(false);
  EXPECT_GE(writer.occupied(), 1'065'536U + 80'000U);
  EXPECT_LE(writer.occupied(), 1'065'536U + 200'000U);
  EXPECT_EQ(session.use_count(), 2);
  receive_all();
  EXPECT_EQ(writer.occupied(), 0U);
}

TEST(HttpDate, ParsesAnImfFixdateOnly) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  for (const std::string_view text :
       {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT", "Wed, 31 Feb 2024 08:49:37 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(HttpDate, FormatsWhatItParses) {
  EXPECT_EQ(HttpDate().format({784'111'777'999'999}), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace portail
