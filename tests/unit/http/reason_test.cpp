#include "core/http/reason.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "core/http/reason_table.hpp"

namespace portail {
namespace {

TEST(Reason, HasItsOwnText) {
  EXPECT_EQ(text_of(Reason::none), "");
  EXPECT_EQ(text_of(Reason::no_token), "No bearer token was sent");
  EXPECT_EQ(text_of(Reason::overloaded), "The server is overloaded");
  std::set<std::string_view> texts;
  for (const ReasonRow& row : reason_table) EXPECT_TRUE(texts.insert(text_of(row.reason)).second) << row.text;
}

// RFC 6750 section 3: the description of a challenge.
TEST(Reason, CanBeQuotedInAHeader) {
  const auto is_bad = [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; };
  for (const ReasonRow& row : reason_table) EXPECT_TRUE(std::ranges::none_of(row.text, is_bad)) << row.text;
}

TEST(Reason, HasACauseAndARemedyForItsStatus) {
  for (const ReasonRow& row : reason_table) {
    EXPECT_TRUE(row.status == 401 || row.status == 403 || row.status == 429 || row.status == 503) << row.text;
    EXPECT_TRUE(row.cause.ends_with('.')) << row.text;
    EXPECT_TRUE(row.remedy.ends_with('.')) << row.text;
  }
}

TEST(Reason, IsThatOfTheFailure) {
  EXPECT_EQ(reason_of(Failure::unavailable), Reason::store_unavailable);
  EXPECT_EQ(reason_of(Failure::cancelled), Reason::timed_out);
  EXPECT_EQ(reason_of(Failure::corrupt), Reason::none);
  EXPECT_EQ(reason_of(Failure::too_large), Reason::none);
}

}  // namespace
}  // namespace portail
