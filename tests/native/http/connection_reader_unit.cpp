// Heads and bodies that arrive in pieces of several sizes.
#include <gmock/gmock.h>

#include "core/base/context.hpp"
#include "native/http/connection_reader.hpp"
#include "tests/native/support/memory_stream.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

using ::testing::ElementsAre;

// Adds one line for each request, its target and body, and at the end the error, if any.
Task<void> read_all(Context& context, AsyncStream& stream, std::vector<std::string>& lines) {
  ConnectionReader reader(stream);
  RequestHead head;
  while (true) {
    co_await reader.await_request(context, Deadline::max());
    const auto read = co_await reader.read_head(context, head);
    if (!read) {
      lines.push_back(std::to_string(static_cast<int>(read.error())));
      co_return;
    }
    std::string line = std::string(head.target) + " ";
    RequestBody body(head, reader, stream);
    while (true) {
      const auto chunk = co_await outcome(body.next(context));
      if (!chunk) {
        const bool is_cancelled = chunk.error() == Failure::cancelled;
        lines.push_back(line + (body.framing_error() ? " malformed" : is_cancelled ? " cancelled" : " unfinished"));
        co_return;
      }
      if (!*chunk) break;
      line += **chunk;
    }
    lines.push_back(std::move(line));
  }
}

std::vector<std::string> requests_of(std::string_view sent, RequestSuspension* suspension_of_request = nullptr) {
  std::vector<std::string> first;
  for (const std::size_t piece : {4096u, 1u, 2u, 3u, 7u, 61u}) {
    TestContext test;
    test.context.suspension = suspension_of_request;
    MemoryStream bytes(sent, piece);
    ConnectionSuspension suspension;
    AsyncStream stream(bytes, suspension);
    std::vector<std::string> lines;
    run_ready(read_all(test.context, stream, lines));
    if (first.empty()) first = lines;
    EXPECT_EQ(lines, first) << "in pieces of " << piece;
  }
  return first;
}

TEST(ConnectionReader, ReadsPipelinedRequestsInOrder) {
  EXPECT_THAT(requests_of("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
                          "PUT /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                          "\r\nPUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "2;x=y\r\nde\r\n1\r\nf\r\n0\r\nTrailer: t\r\n\r\n"
                          "GET /d HTTP/1.1\r\nHost: h\r\n\r\n"),
              ElementsAre("/a ", "/b abc", "/c def", "/d "));
}

TEST(ConnectionReader, DoesNotReadAfterAnError) {
  EXPECT_THAT(
      requests_of("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n"),
      ElementsAre("/a ", "400"));
  EXPECT_THAT(requests_of("PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
              ElementsAre("/a a malformed"));
  EXPECT_THAT(requests_of("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab"),
              ElementsAre("/a ab unfinished"));
}

// Of a connection that the server ends.
class CancelledRequest final : public RequestSuspension {
 public:
  void suspend(std::coroutine_handle<>, std::chrono::steady_clock::time_point) override {}
  void wake() override {}
  [[nodiscard]] bool is_cancelled() const override { return true; }
};

TEST(ConnectionReader, ABodyThatTheServerCutsOffIsCancelled) {
  CancelledRequest request;
  EXPECT_THAT(requests_of("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab", &request),
              ElementsAre("/a ab cancelled"));
  EXPECT_THAT(requests_of("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab", &request), ElementsAre("/a ab"));
}

std::string in_chunks(std::string_view body) {
  return "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body);
}

TEST(ConnectionReader, ReadsABodyInTinyChunks) {
  for (const std::size_t size : {1u, 16u}) {
    std::string body;
    std::string framed;
    while (body.size() < 60'000) {
      body.append(size, 'x');
      framed += (size == 1 ? "1\r\n" : "10\r\n") + std::string(size, 'x') + "\r\n";
    }
    EXPECT_THAT(requests_of(in_chunks(framed + "0\r\n\r\n")), ElementsAre("/a " + body));
  }
}

TEST(ConnectionReader, ReadsValidExtensionsAndTrailers) {
  for (const std::string extensions : {"", ";a", " ; a = b ", ";a=\"x;y\\\"\";b=c", "\t;a"}) {
    EXPECT_THAT(requests_of(in_chunks("1" + extensions + "\r\nx\r\n0" + extensions + "\r\nA: b\r\nC:\r\n\r\n")),
                ElementsAre("/a x"))
        << extensions;
  }
}

TEST(ConnectionReader, RejectsInvalidSizes) {
  for (const std::string_view size :
       {"", "g", "+1", "-1", "0x1", "1_0", "fffffffff", "1 1", " 1", "1\n", "1\r", "1;a\nb"}) {
    EXPECT_THAT(requests_of(in_chunks(std::string(size) + "\r\nx\r\n0\r\n\r\n")), ElementsAre("/a  malformed")) << size;
  }
  EXPECT_THAT(requests_of(in_chunks("1\r\nx\n0\r\n\r\n")), ElementsAre("/a x malformed"));
}

TEST(ConnectionReader, RejectsInvalidExtensionsAndTrailers) {
  for (const std::string extensions :
       {"x", ";", ";a;", ";;a", ";a b", ";a=", ";a=\"b", ";a=b c", ";a=\"\x01\"", ";a=\"\x7f\"", "; a\v"}) {
    EXPECT_THAT(requests_of(in_chunks("1" + extensions + "\r\nx\r\n0\r\n\r\n")), ElementsAre("/a  malformed"))
        << extensions;
  }
  for (const std::string trailer :
       {"no field", " folded: x", "A: b\r\n folded", "A : b", ": b", "A: \x01", "A: \x7f", "A\x01: b", "A: b\n"}) {
    EXPECT_THAT(requests_of(in_chunks("1\r\nx\r\n0\r\n" + trailer + "\r\n\r\n")), ElementsAre("/a x malformed"))
        << trailer;
  }
}

TEST(ConnectionReader, ReadsAHeadUpToItsLimit) {
  const std::string begin = "GET /a HTTP/1.1\r\nHost: h\r\nA: ";
  const std::string fitting = begin + std::string(max_head_size - begin.size() - 4, 'a') + "\r\n\r\n";
  EXPECT_THAT(requests_of(fitting + fitting), ElementsAre("/a ", "/a "));
  EXPECT_THAT(requests_of(begin + std::string(max_head_size, 'a')), ElementsAre("431"));
}

}  // namespace
}  // namespace portail
