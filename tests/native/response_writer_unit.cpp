// What an answer keeps of memory and of the store while its client takes it.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "native/http/response_writer.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

// A client that takes nothing until it is told to take all.
class StalledStream final : public ByteStream {
 public:
  bool takes = false;
  std::string received;

  std::expected<std::size_t, Stall> read(std::span<char>) override { return std::unexpected(Stall::until_readable); }
  std::expected<std::size_t, Stall> write(std::string_view bytes) override {
    if (!takes) return std::unexpected(Stall::until_writable);
    received += bytes;
    return bytes.size();
  }
  void finish() override {}
};

// Chunks of 40,000 bytes, and what they come from: a session of the store, in earnest.
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
  // Runs until the client would have to take something.
  void write(bool is_head) {
    framing_ = {.without_body = is_head, .date = "now"};
    task_.emplace(writer.write(test_.context, response, framing_));
    task_->start([](void*) {}, nullptr);
    ASSERT_TRUE(parking_.is_taken());
  }
  void take_all() {
    stream.takes = true;
    parking_.resume();
    ASSERT_TRUE(task_->done());
    EXPECT_TRUE(task_->result());
  }

  StalledStream stream;
  Response response;

 private:
  TestContext test_;
  Parking parking_;
  AwaitedStream awaited_{stream, parking_};
  ResponseFraming framing_;
  std::optional<Task<void>> task_;

 protected:
  ResponseWriter writer{awaited_};
};

TEST_F(ResponseWriterTest, AHeadLetsGoOfTheSourceBeforeTheClientTakesAnything) {
  const auto session = std::make_shared<int>();
  response.body = std::make_unique<Chunks>(3, session);
  EXPECT_EQ(session.use_count(), 2);
  write(true);
  EXPECT_EQ(session.use_count(), 1);
  take_all();
  EXPECT_EQ(stream.received, "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_F(ResponseWriterTest, AHeadLetsGoOfAWholeBodyAndTellsItsLength) {
  response.body = std::string(5'000'000, 'b');
  write(true);
  EXPECT_LT(std::get<std::string>(response.body).capacity(), 100U);
  EXPECT_EQ(writer.occupied(), 55U);
  take_all();
  EXPECT_EQ(stream.received, "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5000000\r\n\r\n");
  EXPECT_EQ(stream.received.size(), 55U);
}

TEST_F(ResponseWriterTest, AWholeAnswerOccupiesItsHeadAndItsBody) {
  response.body = std::string(5'000'000, 'b');
  EXPECT_EQ(writer.occupied(), 0U);
  write(false);
  EXPECT_EQ(writer.occupied(), 5'000'055U);
  take_all();
  EXPECT_EQ(stream.received.size(), 5'000'055U);
  EXPECT_EQ(writer.occupied(), 0U);
}

// 64 KiB for its session, what the source says, and what is on its way to the client.
TEST_F(ResponseWriterTest, AStreamedAnswerOccupiesItsSourceAndWhatItIsAheadOfItsClient) {
  const auto session = std::make_shared<int>();
  response.body = std::make_unique<Chunks>(3, session);
  write(false);
  EXPECT_GE(writer.occupied(), 1'065'536U + 80'000U);
  EXPECT_LE(writer.occupied(), 1'065'536U + 200'000U);
  EXPECT_EQ(session.use_count(), 2);
  take_all();
  EXPECT_EQ(writer.occupied(), 0U);
}

}  // namespace
}  // namespace portail
