#include <array>
#include <string>

#include <gtest/gtest.h>

#include "core/http/request.hpp"
#include "native/http/trace_context.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {
namespace {

constexpr std::string_view valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, ParsesTheField) {
  const auto parent = parse_traceparent(valid);
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(parent->parent_id, "b7ad6b7169203331");
  EXPECT_TRUE(parent->sampled);
}

TEST(TraceContext, ReadsTheSampledFlagOnly) {
  const std::string before(valid.substr(0, valid.size() - 2));
  for (const auto& [flags, sampled] :
       {std::pair{"00", false}, {"01", true}, {"02", false}, {"ff", true}, {"fe", false}}) {
    const auto parent = parse_traceparent(before + flags);
    ASSERT_TRUE(parent) << flags;
    EXPECT_EQ(parent->sampled, sampled) << flags;
  }
}

TEST(TraceContext, IgnoresMalformedValues) {
  for (const std::string_view value : {
           "",
           "00",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-x1",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0A",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
           "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
           "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "0G-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           // Version 00 has nothing after the flags.
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.",
           "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what",
       }) {
    EXPECT_FALSE(parse_traceparent(value)) << value;
  }
}

TEST(TraceContext, ALaterVersionIsReadAsThisOne) {
  for (const std::string_view value : {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                       "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-it-will-be"}) {
    const auto parent = parse_traceparent(value);
    ASSERT_TRUE(parent) << value;
    EXPECT_EQ(parent->parent_id, "b7ad6b7169203331");
    EXPECT_TRUE(parent->sampled);
  }
}

TEST(TraceContext, ARequestHasASpanOfItsOwn) {
  SeededRandom random;
  const std::array headers{HeaderView{"TraceParent", valid}};
  const Request request{.method = "GET", .target = "/", .headers = headers};
  const auto first = child_span(request, random);
  const auto second = child_span(request, random);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(first->parent_id, "b7ad6b7169203331");
  EXPECT_TRUE(first->sampled);
  EXPECT_EQ(first->span_id.size(), 16u);
  EXPECT_NE(first->span_id, second->span_id);
}

TEST(TraceContext, IgnoresDuplicateFields) {
  SeededRandom random;
  const std::array headers{HeaderView{"traceparent", valid}, HeaderView{"traceparent", valid}};
  EXPECT_FALSE(child_span({.method = "GET", .target = "/", .headers = headers}, random));
  EXPECT_FALSE(child_span({.method = "GET", .target = "/", .headers = {}}, random));
}

TEST(TraceContext, ARootSpanBeginsATrace) {
  SeededRandom random;
  const RequestSpan first = root_span(random);
  EXPECT_EQ(first.trace_id.size(), 32u);
  EXPECT_EQ(first.span_id.size(), 16u);
  EXPECT_EQ(first.parent_id, "");
  EXPECT_TRUE(first.sampled);
  EXPECT_NE(first.trace_id, root_span(random).trace_id);
}

}  // namespace
}  // namespace portail
