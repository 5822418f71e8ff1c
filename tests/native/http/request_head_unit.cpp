#include <cstdint>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "native/http/request_head.hpp"

namespace portail {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

FramingError refusal(std::string_view bytes) {
  RequestHead head;
  const auto parsed = parse_request_head(bytes, head);
  return parsed ? FramingError{} : parsed.error();
}

auto header(std::string_view name, std::string_view value) {
  return ::testing::AllOf(Field(&HeaderView::name, name), Field(&HeaderView::value, value));
}

TEST(RequestHead, KeepsTheReceivedBytes) {
  RequestHead head;
  ASSERT_TRUE(parse_request_head(
      "PUT /a%2Fb?c=%20 HTTP/1.1\r\nHost: h\r\nX: \t%41 b \r\nx:\r\nContent-Length: 12\r\n\r\n", head));
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.target, "/a%2Fb?c=%20");
  EXPECT_THAT(head.headers,
              ElementsAre(header("Host", "h"), header("X", "%41 b"), header("x", ""), header("Content-Length", "12")));
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.has_body());
  EXPECT_TRUE(head.keep_alive);
}

TEST(RequestHead, IsOverwritten) {
  RequestHead head;
  ASSERT_TRUE(parse_request_head("PUT / HTTP/1.0\r\nContent-Length: 12\r\nA: b\r\n\r\n", head));
  EXPECT_FALSE(head.keep_alive);
  ASSERT_TRUE(parse_request_head("GET / HTTP/1.1\r\nHost: h\r\n\r\n", head));
  EXPECT_EQ(head.headers.size(), 1u);
  EXPECT_FALSE(head.has_body());
  EXPECT_TRUE(head.keep_alive);
}

TEST(RequestHead, UsesThePathOfAnAbsoluteTarget) {
  RequestHead head;
  ASSERT_TRUE(parse_request_head("GET HTTPS://host:1/a?b HTTP/1.1\r\nHost: h\r\n\r\n", head));
  EXPECT_EQ(head.target, "/a?b");
}

TEST(RequestHead, LeavesOtherAbsoluteTargetsToTheCore) {
  RequestHead head;
  for (const auto& [target, host] : {std::pair<std::string_view, std::string_view>{"http://host:1", "host:1"},
                                     {"http://host:1?a=/b", "host:1"},
                                     {"http://u@x/", "h"},
                                     {"http:///a", "h"},
                                     {"http://:80/a", "h"}}) {
    const std::string bytes = "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    ASSERT_TRUE(parse_request_head(bytes, head));
    EXPECT_EQ(head.target, target);
    EXPECT_EQ(head.headers[0].value, host);
  }
}

TEST(RequestHead, UsesTheHostOfAnAbsoluteTarget) {
  RequestHead head;
  ASSERT_TRUE(parse_request_head("GET http://host:1/a HTTP/1.1\r\nA: b\r\nHost: h\r\n\r\n", head));
  ASSERT_EQ(head.headers.size(), 2u);
  EXPECT_EQ(head.headers[1].name, "Host");
  EXPECT_EQ(head.headers[1].value, "host:1");
  ASSERT_TRUE(parse_request_head("GET /http://host/ HTTP/1.1\r\nHost: h\r\n\r\n", head));
  EXPECT_EQ(head.headers[0].value, "h");
}

// A limit answers 413 to it.
TEST(RequestHead, AcceptsALengthOfAnyDigits) {
  RequestHead head;
  for (const auto& [digits, length] : {std::pair<std::string_view, std::uint64_t>{"00000000000000000000012", 12},
                                       {"999999999999999999", 999'999'999'999'999'999},
                                       {"10000000000000000000", 1'000'000'000'000'000'000},
                                       {"18446744073709551616", 1'000'000'000'000'000'000},
                                       {"99999999999999999999999999999999", 1'000'000'000'000'000'000}}) {
    const std::string bytes = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::string(digits) + "\r\n\r\n";
    ASSERT_TRUE(parse_request_head(bytes, head)) << digits;
    EXPECT_EQ(head.content_length, length) << digits;
  }
}

TEST(RequestHead, ReadsConnectionAndExpect) {
  RequestHead head;
  ASSERT_TRUE(parse_request_head(
      "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade, Close\r\nExpect: 100-Continue\r\n\r\n", head));
  EXPECT_FALSE(head.keep_alive);
  EXPECT_TRUE(head.expects_continue);
}

TEST(RequestHead, RejectsAmbiguousInput) {
  for (const std::string_view bytes :
       {"GET /\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET / http/1.1\r\nHost: h\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\x80 HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: u@x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a?b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a#b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\\b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a, b c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [x]\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: []\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a%2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \xc3\xa9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\rc\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n",
        "GET / HTTP/1.10\r\nHost: h\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\n X: a\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding\t: chunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x0\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0 0\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999999999999999x\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked;q=1\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \vchunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    EXPECT_EQ(refusal(bytes), FramingError::bad_request) << bytes;
  }
  EXPECT_EQ(refusal(std::string_view("GET / HTTP/1.1\r\nHost: h\r\nX\0: y\r\n\r\n", 34)), FramingError::bad_request);
  EXPECT_EQ(refusal("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), FramingError::version_not_supported);
}

TEST(RequestHead, AcceptsEveryHostOfTheGrammar) {
  for (const std::string host :
       {"", "h", "portal.example:8443", "h:", "127.0.0.1:1", "[::1]", "[::ffff:1.2.3.4]:80", "%C3%A9", "a_b", "a.b."}) {
    EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), FramingError{}) << host;
  }
}

TEST(RequestHead, LimitsTheNumberOfHeaders) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (std::size_t i = 1; i < max_headers; ++i) bytes += "A: b\r\n";
  EXPECT_EQ(refusal(bytes + "\r\n"), FramingError{});
  EXPECT_EQ(refusal(bytes + "A: b\r\n\r\n"), FramingError::head_too_large);
}

TEST(HeadEnd, IsFoundHoweverTheBytesArrive) {
  const std::string_view bytes = "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET";
  std::size_t scanned = 0;
  for (std::size_t size = 0; size < 27; ++size) EXPECT_EQ(find_head_end(bytes.substr(0, size), scanned), 0u) << size;
  EXPECT_EQ(find_head_end(bytes, scanned), 27u);
}

TEST(HeadEnd, RejectsABareLineFeed) {
  for (const std::string_view bytes : {"\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nA: b\n"}) {
    std::size_t scanned = 0;
    EXPECT_EQ(find_head_end(bytes, scanned).error(), FramingError::bad_request);
  }
}

TEST(HeadEnd, RejectsAHeadThatIsTooLong) {
  std::size_t scanned = 0;
  EXPECT_EQ(find_head_end(std::string(max_head_size, 'a'), scanned), 0u);
  EXPECT_EQ(find_head_end(std::string(max_head_size + 1, 'a'), scanned).error(), FramingError::head_too_large);
}

}  // namespace
}  // namespace portail
