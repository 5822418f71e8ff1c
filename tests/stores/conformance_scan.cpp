#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

using Found = std::vector<std::string>;

TEST_P(StoreConformance, ScansInAscendingOrderOfBytes) {
  ASSERT_TRUE(client.write(
      {{"b", "1"}, {"a.10", "2"}, {"a.2", "3"}, {"a=41", "4"}, {"a-b", "5"}, {"a", "6"}, {"a_", "7"}, {"aA", "8"}}));
  EXPECT_EQ(client.scan(""), (Found{"a=6", "a-b=5", "a.10=2", "a.2=3", "a=41=4", "aA=8", "a_=7", "b=1"}));
}

TEST_P(StoreConformance, ScansOnlyThePrefix) {
  ASSERT_TRUE(client.write({{"liasse", "1"},
                            {"liasse.", "2"},
                            {"liasse.a", "3"},
                            {"liasse.b", "4"},
                            {"liasse=", "5"},
                            {"liass", "6"},
                            {"tiers.a", "7"}}));
  EXPECT_EQ(client.scan("liasse."), (Found{"liasse.=2", "liasse.a=3", "liasse.b=4"}));
  EXPECT_EQ(client.scan("liasse.b"), Found{"liasse.b=4"});
  EXPECT_EQ(client.scan("tiers."), Found{"tiers.a=7"});
  EXPECT_TRUE(client.scan("liasse.c").empty());
  EXPECT_TRUE(client.scan("z").empty());
  EXPECT_TRUE(client.scan("a").empty());
}

TEST_P(StoreConformance, EndsAScanWhenTheVisitorReturnsFalse) {
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(client.scan("", 1), Found{"a=1"});
  EXPECT_EQ(client.scan("", 2), (Found{"a=1", "b=2"}));
}

TEST_P(StoreConformance, ScansValuesOfEverySize) {
  Found expected;
  for (std::size_t size : {0u, 1u, 4000u, 4080u, 262'144u}) {
    const std::string value(size, 'v');
    ASSERT_TRUE(client.put("k." + std::to_string(1'000'000 + size), value));
    expected.push_back("k." + std::to_string(1'000'000 + size) + '=' + value);
  }
  EXPECT_EQ(client.scan("k."), expected);
}

TEST_P(StoreConformance, ScansTheCurrentState) {
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "2"}}));
  auto session = client.open();
  ASSERT_TRUE(client.write({{"a", std::nullopt}, {"b", "new"}, {"c", "3"}}));
  EXPECT_EQ(client.scan(""), (Found{"b=new", "c=3"}));
}

}  // namespace
}  // namespace portail
