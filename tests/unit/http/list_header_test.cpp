#include <vector>

#include <gtest/gtest.h>

#include "core/http/header_fields.hpp"
#include "tests/unit/http/header_request.hpp"

namespace portail {
namespace {

TEST(ListHeader, JoinsTheLinesOfOneName) {
  std::vector<std::string_view> members;
  const HeaderRequest request{{"Accept", "a, b"}, {"Other", "x"}, {"accept", "c"}};
  const Request& view = request;
  for_each_member(view.headers, "Accept", [&](std::string_view member) { members.push_back(member); });
  EXPECT_EQ(members, (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(ListHeader, GivesEachPreferenceItsWeight) {
  std::vector<std::pair<std::string_view, std::optional<int>>> preferences;
  for_each_preference(
      HeaderRequest{{"Accept", "a;q=0.25 , b,c ;q=x"}}, "Accept",
      [&](std::string_view range, std::optional<int> weight) { preferences.emplace_back(range, weight); });
  EXPECT_EQ(preferences, (decltype(preferences){{"a", 250}, {"b", 1000}, {"c", std::nullopt}}));
}

TEST(Weight, IsInThousandths) {
  EXPECT_EQ(weight(""), 1000);
  EXPECT_EQ(weight(";q=1"), 1000);
  EXPECT_EQ(weight("; Q=0.5"), 500);
  EXPECT_EQ(weight(";q=0.001"), 1);
  EXPECT_EQ(weight(";q=1.000 "), 1000);
  EXPECT_EQ(weight(";q=0."), 0);
  EXPECT_EQ(weight(";q=0"), 0);
}

TEST(Weight, IsAbsentIfMalformed) {
  for (const auto parameters : {";", ";q", ";q=", ";q=2", ";q=15", ";q=1.001", ";q=0.1234", ";q=-1", ";q=.5", ";q=0,5",
                                ";q = 1", ";x=1", ";q=1;q=1"}) {
    EXPECT_EQ(weight(parameters), std::nullopt) << parameters;
  }
}

}  // namespace
}  // namespace portail
