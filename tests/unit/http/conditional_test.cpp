#include "core/http/conditional.hpp"

#include <gtest/gtest.h>

#include "tests/unit/http/header_request.hpp"

namespace portail {
namespace {

constexpr std::string_view tag = R"("v1")";

bool none_match(std::string_view value) { return if_none_match_names(HeaderRequest{{"if-none-match", value}}, tag); }
bool match(std::string_view value) { return if_match_allows(HeaderRequest{{"if-match", value}}, tag); }

TEST(IfNoneMatch, ComparesWeakly) {
  EXPECT_FALSE(if_none_match_names(HeaderRequest{}, tag));
  EXPECT_TRUE(none_match(R"("v1")"));
  EXPECT_TRUE(none_match(R"(W/"v1")"));
  EXPECT_TRUE(none_match("*"));
  EXPECT_FALSE(none_match(R"("v2")"));
  EXPECT_FALSE(none_match(R"("V1")"));
  EXPECT_FALSE(none_match(R"("v")"));
  EXPECT_FALSE(none_match(R"("v11")"));
  EXPECT_FALSE(none_match(R"("*")"));
}

TEST(IfNoneMatch, AcceptsLists) {
  EXPECT_TRUE(none_match(R"("a", W/"b","v1")"));
  EXPECT_TRUE(none_match(R"("v1",  "a,b")"));
  EXPECT_TRUE(none_match(R"(, "a" ,, "v1" ,)"));
  EXPECT_FALSE(none_match(R"("a","b")"));
  EXPECT_FALSE(none_match(R"("a,"v1"")"));
  EXPECT_TRUE(if_none_match_names(HeaderRequest{{"If-None-Match", R"("a")"}, {"If-None-Match", R"("v1")"}}, tag));
}

TEST(IfNoneMatch, AcceptsTheTagOfACompressedAnswer) {
  EXPECT_TRUE(none_match(R"("v1-gzip")"));
  EXPECT_TRUE(none_match(R"("v1-br")"));
  EXPECT_TRUE(none_match(R"(W/"v1-zstd")"));
  EXPECT_FALSE(none_match(R"("v1-deflate")"));
  EXPECT_FALSE(none_match(R"("v1-gzip-gzip")"));
  EXPECT_FALSE(none_match(R"("v1gzip")"));
}

TEST(IfNoneMatch, IgnoresAMalformedList) {
  for (const auto value : {"v1", "\"v1", "v1\"", "\"v1\" \"a\"", "w/\"v1\"", "W/ \"v1\"", "\"v1\", *", "*, \"v1\"",
                           "\"v1\";q=1", "\"v1\", b", "\"v1\", W/", "\"v 1\", \"v1\"", "'v1'"}) {
    EXPECT_FALSE(none_match(value)) << value;
  }
  EXPECT_FALSE(if_none_match_names(HeaderRequest{{"If-None-Match", "*"}, {"If-None-Match", "*"}}, tag));
  EXPECT_FALSE(if_none_match_names(HeaderRequest{{"If-None-Match", R"("v1")"}, {"If-None-Match", "x"}}, tag));
}

TEST(IfMatch, ComparesStrongly) {
  EXPECT_TRUE(if_match_allows(HeaderRequest{}, tag));
  EXPECT_TRUE(match(R"("v1")"));
  EXPECT_TRUE(match("*"));
  EXPECT_TRUE(match(R"(W/"v1", "v1")"));
  EXPECT_TRUE(match(R"("a", "v1-br")"));
  EXPECT_FALSE(match(R"(W/"v1")"));
  EXPECT_FALSE(match(R"("v2")"));
}

TEST(IfMatch, FailsOnAMalformedOrEmptyList) {
  for (const auto value : {"", ",", "v1", "\"v1", "\"v1\" x", "\"v1\", *"}) EXPECT_FALSE(match(value)) << value;
}

TEST(EntityTags, MayHoldBytesBeyondAscii) {
  EXPECT_TRUE(none_match("\"\xe9\", \"v1\""));
  EXPECT_FALSE(none_match("\"\x7f\", \"v1\""));
}

}  // namespace
}  // namespace portail
