#include "core/http/conditional.hpp"

#include <initializer_list>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

constexpr std::string_view tag = R"("v1")";

FailedCondition failed(std::initializer_list<HeaderView> headers) {
  return failed_condition(HeaderRequest(headers), tag);
}
bool none_match(std::string_view value) { return failed({{"if-none-match", value}}) == FailedCondition::if_none_match; }
bool match(std::string_view value) { return failed({{"if-match", value}}) == FailedCondition::none; }

TEST(IfNoneMatch, ComparesWeakly) {
  EXPECT_EQ(failed({}), FailedCondition::none);
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
  EXPECT_EQ(failed({{"If-None-Match", R"("a")"}, {"If-None-Match", R"("v1")"}}), FailedCondition::if_none_match);
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
  EXPECT_EQ(failed({{"If-None-Match", "*"}, {"If-None-Match", "*"}}), FailedCondition::none);
  EXPECT_EQ(failed({{"If-None-Match", R"("v1")"}, {"If-None-Match", "x"}}), FailedCondition::none);
}

TEST(IfMatch, ComparesStrongly) {
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

TEST(IfMatch, TellsWhetherATagIsWeak) {
  for (const auto value : {R"(W/"v1")", R"("v2", W/"v1")", R"(W/"v2")", R"(W/"v1-gzip")"}) {
    EXPECT_EQ(failed({{"If-Match", value}}), FailedCondition::if_match_weak) << value;
  }
  EXPECT_EQ(failed({{"If-Match", R"("v2")"}, {"If-Match", R"(W/"v1")"}}), FailedCondition::if_match_weak);
  for (const auto value : {R"("v2")", R"("W/v1")", R"("v2", "*")"}) {
    EXPECT_EQ(failed({{"If-Match", value}}), FailedCondition::if_match) << value;
  }
}

TEST(IfMatch, TellsWhetherItIsNoList) {
  for (const auto value : {"v1", "W/", R"(W/"v1)", R"(W/"v1", x)", R"("v1", v2)", R"(w/"v1")", R"("v1", *)"}) {
    EXPECT_EQ(failed({{"If-Match", value}}), FailedCondition::if_match_malformed) << value;
  }
  EXPECT_EQ(failed({{"If-Match", R"(W/"v1")"}, {"If-Match", "v1"}}), FailedCondition::if_match_malformed);
}

// RFC 9110 section 13.2.2.
TEST(Conditions, HaveAnOrder) {
  EXPECT_EQ(failed({{"If-None-Match", R"("v1")"}, {"If-Match", R"("v2")"}}), FailedCondition::if_match);
  EXPECT_EQ(failed({{"If-None-Match", R"("v1")"}, {"If-Match", R"("v1")"}}), FailedCondition::if_none_match);
  EXPECT_EQ(failed({{"If-None-Match", R"("v2")"}, {"If-Match", "*"}}), FailedCondition::none);
  EXPECT_EQ(failed({{"If-None-Match", "*"}, {"If-Match", "*"}}), FailedCondition::if_none_match);
}

TEST(Conditions, WithoutADateIgnoreDates) {
  EXPECT_EQ(failed({{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"},
                    {"If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"}}),
            FailedCondition::none);
}

TEST(Conditions, HaveAMessageEach) {
  const auto message_of = [](FailedCondition condition) {
    const Response response = precondition_problem(Language::english, condition);
    EXPECT_EQ(response.status, 412);
    const std::string& body = std::get<std::string>(response.body);
    const std::size_t begin = body.find(R"("message":")") + 11;
    return body.substr(begin, body.find('"', begin) - begin);
  };
  EXPECT_EQ(message_of(FailedCondition::if_match), "The resource has changed since you read it!");
  EXPECT_EQ(message_of(FailedCondition::if_match_weak),
            "If-Match has a weak tag (W/), which matches no version: a proxy on the way has weakened the tag!");
  EXPECT_EQ(message_of(FailedCondition::if_match_malformed), "If-Match is not a list of entity tags!");
  EXPECT_EQ(message_of(FailedCondition::if_none_match),
            "The resource exists in a version that If-None-Match excludes!");
}

TEST(EntityTags, MayHoldBytesBeyondAscii) {
  EXPECT_TRUE(none_match("\"\xe9\", \"v1\""));
  EXPECT_FALSE(none_match("\"\x7f\", \"v1\""));
}

}  // namespace
}  // namespace portail
