#include "core/webassembly/serve_request.hpp"

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"

namespace portail {
namespace {

class Answering final : public Handler {
 public:
  using Answer = std::function<Result<Response>()>;
  explicit Answering(Answer answer) : answer_(std::move(answer)) {}
  Task<Response> handle(Context&, const Request&) override { co_return co_await answer_(); }

 private:
  Answer answer_;
};

// Returns the text, then fails.
class CutSource final : public ChunkSource {
 public:
  explicit CutSource(std::string text) : text_(std::move(text)) {}
  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_sent_, true)) co_await std::unexpected(Failure::unavailable);
    co_return text_;
  }

 private:
  std::string text_;
  bool is_sent_ = false;
};

// Records the calls, one line each; long pieces by their size.
class Recording final : public AnswerWriter {
 public:
  Task<bool> begin(Context&, const Response& response, bool has_body) override {
    std::string line = std::to_string(response.status);
    for (const HeaderField& field : response.headers) line.append(" ").append(field.name) += ":" + field.value;
    calls.push_back(line + (has_body ? " and a body" : ""));
    co_return takes_head;
  }
  Task<bool> write(Context&, std::string_view piece) override {
    if (waits) co_await Pause{waiting};
    calls.push_back(piece.size() < 100 ? std::string(piece) : std::to_string(piece.size()) + " bytes");
    co_return --takes_pieces >= 0;
  }
  void end() override { calls.emplace_back("end"); }
  void abort() override { calls.emplace_back("break off"); }

  std::vector<std::string> calls;
  bool takes_head = true;
  int takes_pieces = 100;
  bool waits = false;
  std::coroutine_handle<> waiting;

 private:
  struct Pause {
    std::coroutine_handle<>& waiting;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { waiting = handle; }
    void await_resume() const {}
  };
};

using Calls = std::vector<std::string>;

Response answer_of(int status, std::string text) {
  Response response;
  response.status = status;
  response.headers.push_back({"Content-Type", "text/plain"});
  response.body = std::move(text);
  return response;
}

Response streamed(std::unique_ptr<ChunkSource> source) {
  Response response;
  response.body = std::move(source);
  return response;
}

class ServeRequestTest : public testing::Test {
 protected:
  const Calls& calls_of(const Answering::Answer& answer, std::string_view method = "GET") {
    Answering handler(answer);
    TestRequest request(method, "/");
    const Request view = request.view();
    EXPECT_TRUE(run_ready(serve_request(test_.context, handler, view, writer_)));
    return writer_.calls;
  }

  TestContext test_;
  Recording writer_;
};

TEST_F(ServeRequestTest, ACompleteBodyIsOnePieceWithItsLength) {
  EXPECT_EQ(calls_of([] { return answer_of(200, "hello"); }),
            (Calls{"200 Content-Type:text/plain Content-Length:5 and a body", "hello", "end"}));
}

TEST_F(ServeRequestTest, AnEmptyBodyHasALengthAndNoPiece) {
  EXPECT_EQ(calls_of([] { return answer_of(200, ""); }),
            (Calls{"200 Content-Type:text/plain Content-Length:0", "end"}));
}

TEST_F(ServeRequestTest, HeadHasTheLengthOfGet) {
  EXPECT_EQ(calls_of([] { return answer_of(200, "hello"); }, "HEAD"),
            (Calls{"200 Content-Type:text/plain Content-Length:5", "end"}));
}

TEST_F(ServeRequestTest, StatusesWithoutABodyHaveNoLength) {
  EXPECT_EQ(calls_of([] { return answer_of(204, ""); }), (Calls{"204 Content-Type:text/plain", "end"}));
  writer_.calls.clear();
  EXPECT_EQ(calls_of([] { return answer_of(304, "hello"); }), (Calls{"304 Content-Type:text/plain", "end"}));
}

TEST_F(ServeRequestTest, HeadersOfTheHostAreLeftOut) {
  EXPECT_EQ(calls_of([] {
              Response response = answer_of(200, "");
              response.headers = {{"connection", "close"},   {"Content-Length", "7"}, {"Transfer-Encoding", "chunked"},
                                  {"Keep-Alive", "timeout"}, {"Trailer", "X"},        {"ETag", "\"one\""}};
              return response;
            }),
            (Calls{"200 ETag:\"one\" Content-Length:0", "end"}));
}

TEST_F(ServeRequestTest, ManySmallChunksAreFewPieces) {
  // 5,000 chunks of 20 bytes: three pieces of the first multiple of 20 from 32 KiB on, and the rest.
  EXPECT_EQ(calls_of([] { return streamed(std::make_unique<TextSource>(std::string(100'000, 'x'), 20)); }),
            (Calls{"200 and a body", "32780 bytes", "32780 bytes", "32780 bytes", "1660 bytes", "end"}));
}

TEST_F(ServeRequestTest, AnEmptyStreamIsAnEmptyBody) {
  EXPECT_EQ(calls_of([] { return streamed(std::make_unique<TextSource>("")); }), (Calls{"200 and a body", "end"}));
}

TEST_F(ServeRequestTest, HeadDoesNotReadTheStream) {
  EXPECT_EQ(calls_of([] { return streamed(std::make_unique<CutSource>("x")); }, "HEAD"), (Calls{"200", "end"}));
}

TEST_F(ServeRequestTest, AFailedHandlerIsA500WithoutABody) {
  EXPECT_EQ(calls_of([] { return std::unexpected(Failure::corrupt); }), (Calls{"500 Content-Length:0", "end"}));
}

TEST_F(ServeRequestTest, AStreamThatFailsAbortsTheAnswer) {
  EXPECT_EQ(calls_of([] { return streamed(std::make_unique<CutSource>(std::string(40'000, 'x'))); }),
            (Calls{"200 and a body", "40000 bytes", "break off"}));
}

TEST_F(ServeRequestTest, NothingIsWrittenIfTheClientHasDisconnected) {
  writer_.takes_head = false;
  EXPECT_EQ(calls_of([] { return answer_of(200, "hello"); }),
            (Calls{"200 Content-Type:text/plain Content-Length:5 and a body", "break off"}));
}

TEST_F(ServeRequestTest, NothingIsWrittenAfterTheClientStopsReading) {
  writer_.takes_pieces = 1;
  EXPECT_EQ(calls_of([] { return streamed(std::make_unique<TextSource>(std::string(200'000, 'x'), 40'000)); }),
            (Calls{"200 and a body", "40000 bytes", "40000 bytes", "break off"}));
}

TEST_F(ServeRequestTest, DestroyingItCallsNothing) {
  writer_.waits = true;
  Answering handler([] { return answer_of(200, "hello"); });
  TestRequest request("GET", "/");
  const Request view = request.view();
  {
    auto task = serve_request(test_.context, handler, view, writer_);
    task.start([](void*) {}, nullptr);
    EXPECT_FALSE(task.done());
  }
  EXPECT_EQ(writer_.calls, (Calls{"200 Content-Type:text/plain Content-Length:5 and a body"}));
}

}  // namespace
}  // namespace portail
