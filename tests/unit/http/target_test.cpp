#include "core/http/target.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portail {
namespace {

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

TEST(Target, RefusesOtherFormsThanOriginForm) {
  for (const auto raw : {"", "*", "api", "?x", "http://host/api", "host:443"}) {
    EXPECT_EQ(fault_of(raw), TargetFault::not_origin_form) << raw;
  }
}

TEST(Target, RefusesBadCharacters) {
  for (const std::string_view raw : {"/a b", "/a#b", "/a?b#c", "/a\\b", "/a?\\", "/a\tb", "/a\x7f", "/é", "/a?é=1"}) {
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

}  // namespace
}  // namespace portail
