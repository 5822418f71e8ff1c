#include "core/http/target.hpp"

#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(PercentEncoded, EscapesAllButUnreservedCharacters) {
  EXPECT_EQ(percent_encoded("Az09-._~"), "Az09-._~");
  EXPECT_EQ(percent_encoded("a b/é%+"), "a%20b%2F%C3%A9%25%2B");
  EXPECT_EQ(percent_encoded(""), "");
}

TEST(QueryValue, IsDecodedAsAspNetCoreDoes) {
  EXPECT_EQ(query_value("a=x+y%20z%2B%c3%a9", "a"), "x y z+é");
  EXPECT_EQ(query_value("a=b=c", "a"), "b=c");
  EXPECT_EQ(query_value("a=%zz%4%", "a"), "%zz%4%");
  EXPECT_EQ(query_value("&&a=1&", "a"), "1");
  EXPECT_EQ(query_value("=1", ""), "1");
}

// Returns the number; -1 if it is absent, -2 if it is not an integer. No case has these values.
std::int32_t number(std::string_view query) {
  const auto parameter = int32_parameter(query, "SkipCount");
  return parameter ? parameter->value_or(-1) : -2;
}

TEST(Int32Parameter, TakesIntegers) {
  EXPECT_EQ(number("x=1"), -1);
  EXPECT_EQ(number("skipCount=0"), 0);
  EXPECT_EQ(number("SkipCount=-0"), 0);
  EXPECT_EQ(number("SkipCount=10&SkipCount=x"), 10);
  EXPECT_EQ(number("SkipCount=007"), 7);
  EXPECT_EQ(number("SkipCount=%2B7"), 7);
  EXPECT_EQ(number("SkipCount=+7"), 7);  // " 7"
  EXPECT_EQ(number("SkipCount=%207%20"), 7);
  EXPECT_EQ(number("SkipCount=2147483647"), 2147483647);
  EXPECT_EQ(number("SkipCount=-2147483648"), -2147483647 - 1);
  EXPECT_EQ(number("SkipCount=0000000000000000000000000000000000000000012"), 12);
}

TEST(Int32Parameter, RefusesAnythingElse) {
  for (const std::string query : {"", "abc", "1.0", "1e3", "2147483648", "-2147483649", "99999999999999999999", "--1",
                                  "%2B-1", "-%2B1", "1+1", "0x10", "1,2", "%00", "1%00", "-", "%2B", "+", "\xd9\xa1"}) {
    EXPECT_EQ(number("SkipCount=" + query), -2) << query;
  }
  EXPECT_EQ(number("SkipCount"), -2);
  EXPECT_EQ(number("SkipCount=&SkipCount=1"), -2);
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::optional<TargetFault> fault_of(std::string_view raw) {
  const auto target = Target::parse(raw);
  return target ? std::nullopt : std::optional(target.error());
}

TEST(Target, SplitsThePath) {
  EXPECT_THAT(Target::parse("/api/app/objet-courrier/42")->segments(),
              ElementsAre("api", "app", "objet-courrier", "42"));
  EXPECT_THAT(Target::parse("/")->segments(), IsEmpty());
  EXPECT_THAT(Target::parse("/?a=/b")->segments(), IsEmpty());
}

TEST(Target, AcceptsOneTrailingSlash) {
  EXPECT_THAT(Target::parse("/api/liasse/")->segments(), ElementsAre("api", "liasse"));
  EXPECT_THAT(Target::parse("/api/liasse/?x")->segments(), ElementsAre("api", "liasse"));
  EXPECT_THAT(Target::parse("/api/liasse//")->segments(), ElementsAre("api", "liasse", ""));
  EXPECT_THAT(Target::parse("/api//liasse")->segments(), ElementsAre("api", "", "liasse"));
  EXPECT_THAT(Target::parse("//")->segments(), ElementsAre(""));
}

TEST(Target, DecodesEachSegmentOnce) {
  EXPECT_THAT(Target::parse("/%61pi/L%20%C3%A9%26+/%252F/%5C")->segments(), ElementsAre("api", "L é&+", "%2F", "\\"));
}

TEST(Target, KeepsItsSegmentsWhenMoved) {
  auto target = Target::parse("/a%20b/c");
  ASSERT_TRUE(target);
  const Target moved = std::move(*target);
  EXPECT_THAT(moved.segments(), ElementsAre("a b", "c"));
}

TEST(Target, GivesTheRawQuery) {
  EXPECT_EQ(Target::parse("/a?SkipCount=1&x=%zz?")->query(), "SkipCount=1&x=%zz?");
  EXPECT_EQ(Target::parse("/a?")->query(), "");
  EXPECT_EQ(Target::parse("/a")->query(), "");
}

TEST(Target, HoldsALongPathShort) {
  EXPECT_EQ(Target::parse("/1/2/3/4/5/6/7/8")->segments().size(), 8U);
  EXPECT_EQ(Target::parse("/1/2/3/4/5/6/7/8/9/10")->segments().size(), 8U);
  EXPECT_EQ(fault_of("/1/2/3/4/5/6/7/8/9/%00"), TargetFault::bad_escape);
}

TEST(Target, GivesTheRawPath) {
  EXPECT_EQ(Target::parse("/a%20b/?x=/y")->path(), "/a%20b/");
  EXPECT_EQ(Target::parse("/")->path(), "/");
}

TEST(Target, AcceptsAbsoluteForm) {
  const auto target = Target::parse("http://host:8080/api/app?a=b");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->segments(), ElementsAre("api", "app"));
  EXPECT_EQ(target->path(), "/api/app");
  EXPECT_EQ(target->query(), "a=b");
  for (const auto raw : {"http://host", "HTTPS://host", "http://host/", "http://[::1]:80", "http://127.0.0.1"}) {
    const auto root = Target::parse(raw);
    ASSERT_TRUE(root) << raw;
    EXPECT_THAT(root->segments(), IsEmpty()) << raw;
    EXPECT_EQ(root->path(), "/") << raw;
    EXPECT_EQ(root->query(), "") << raw;
  }
  EXPECT_EQ(Target::parse("http://host?a=/b")->path(), "/");
  EXPECT_EQ(Target::parse("http://host?a=/b")->query(), "a=/b");
}

TEST(Target, RefusesOtherForms) {
  for (const auto raw : {"", "*", "api", "?x", "host:443", "http:", "http://", "http:///api", "http://?x",
                         "ftp://host/", "http://user@host/", "http://ho st/", "http://:80/health/live", "http://:80",
                         "http://[]/", "http://[]:80/", "http://host#a", "http://host\\a", "https:/host"}) {
    EXPECT_EQ(fault_of(raw), TargetFault::bad_form) << raw;
  }
  EXPECT_EQ(fault_of("http://host/../a"), TargetFault::dot_segment);
}

// Clients that follow the URL standard, such as Node's fetch, escape it in paths only.
TEST(Target, AcceptsABackslashInTheQuery) {
  EXPECT_EQ(Target::parse("/a?Filter=a\\b")->query(), "Filter=a\\b");
  EXPECT_EQ(Target::parse("/?\\")->query(), "\\");
}

// Neither are other characters that RFC 3986 excludes but clients send.
TEST(Target, AcceptsUnescapedCharactersInTheQuery) {
  EXPECT_EQ(Target::parse("/a?Filter=^`{|}\"[]<>")->query(), "Filter=^`{|}\"[]<>");
}

TEST(AbsoluteForm, IsSplit) {
  for (const auto& [raw, authority, rest] : {std::array<std::string_view, 3>{"http://host", "host", ""},
                                             {"HTTPS://host:80/a?b", "host:80", "/a?b"},
                                             {"http://[::1]?a=/b", "[::1]", "?a=/b"}}) {
    const auto form = split_absolute_form(raw);
    ASSERT_TRUE(form) << raw;
    EXPECT_EQ(form->authority, authority);
    EXPECT_EQ(form->rest, rest);
  }
  for (const auto raw : {"/", "*", "/http://host/", "http://", "ftp://host/"})
    EXPECT_FALSE(split_absolute_form(raw)) << raw;
}

TEST(Target, RefusesBadCharacters) {
  for (const std::string_view raw : {"/a b", "/a#b", "/a?b#c", "/a\\b", "/\\?\\", "/a\tb", "/a\x7f", "/é", "/a?é=1"}) {
    EXPECT_EQ(fault_of(raw), TargetFault::bad_character) << raw;
  }
  EXPECT_EQ(fault_of(std::string_view("/a\0", 3)), TargetFault::bad_character);
}

TEST(Target, RefusesBadEscapes) {
  for (const auto raw : {"/a%2Fb", "/a%2fb", "/%00", "/%zz", "/%4", "/%", "/%4/1", "/%G0", "/%-1"}) {
    EXPECT_EQ(fault_of(raw), TargetFault::bad_escape) << raw;
  }
}

TEST(Target, RefusesSegmentsThatAreNotUtf8) {
  for (const auto raw : {"/%ff", "/caf%E9", "/%C3", "/%C0%AE%C0%AE", "/%ED%A0%80", "/%C3/%A9"}) {
    EXPECT_EQ(fault_of(raw), TargetFault::not_utf8) << raw;
  }
}

TEST(Target, RefusesDotSegments) {
  for (const auto raw : {"/.", "/..", "/api/../x", "/api/./x", "/%2e%2E/x", "/.%2e", "/%2E", "/a/.."}) {
    EXPECT_EQ(fault_of(raw), TargetFault::dot_segment) << raw;
  }
  EXPECT_EQ(fault_of("/.../.a/a."), std::nullopt);
}

TEST(Target, RefusesMoreThan8KiB) {
  EXPECT_EQ(fault_of("/" + std::string(8191, 'a')), std::nullopt);
  EXPECT_EQ(fault_of("/" + std::string(8192, 'a')), TargetFault::too_long);
}

TEST(RawPath, IsThePathAsReceived) {
  EXPECT_EQ(raw_path("/a/%41/?b=/c"), "/a/%41/");
  EXPECT_EQ(raw_path("http://host:80/health/ready?a"), "/health/ready");
  EXPECT_EQ(raw_path("HTTPS://host"), "/");
  EXPECT_EQ(raw_path("http://host?a"), "/");
  EXPECT_EQ(raw_path("*"), "*");
  EXPECT_EQ(raw_path("http:///health"), "http:///health");
  EXPECT_EQ(raw_path(""), "");
}

}  // namespace
}  // namespace portail
