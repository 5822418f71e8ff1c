#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

using namespace std::string_view_literals;
constexpr std::unexpected too_large(Failure::too_large);

TEST_P(StoreConformance, Overwrites) {
  ASSERT_TRUE(client.put("k", std::string(9000, 'v')));
  ASSERT_TRUE(client.put("k", "short"));
  EXPECT_EQ(client.get("k"), "short");
  ASSERT_TRUE(client.put("k", ""));
  EXPECT_EQ(client.get("k"), "");
}

TEST_P(StoreConformance, RemovesPresentAndAbsentKeys) {
  ASSERT_TRUE(client.put("k", "v"));
  EXPECT_TRUE(client.remove("k"));
  EXPECT_EQ(client.get("k"), std::nullopt);
  EXPECT_TRUE(client.remove("k"));
  EXPECT_TRUE(client.write({{"never", std::nullopt}, {"k", "again"}}));
  EXPECT_EQ(client.get("k"), "again");
}

TEST_P(StoreConformance, AppliesTheChangesOfABatchInOrder) {
  ASSERT_TRUE(client.write({{"twice", std::string_view("first")},
                            {"gone", "v"},
                            {"back", std::nullopt},
                            {"twice", "second"},
                            {"gone", std::nullopt},
                            {"back", "v"}}));
  EXPECT_EQ(client.get("twice"), "second");
  EXPECT_EQ(client.get("gone"), std::nullopt);
  EXPECT_EQ(client.get("back"), "v");
}

TEST_P(StoreConformance, AcceptsAnEmptyBatch) { EXPECT_TRUE(client.write({})); }

TEST_P(StoreConformance, AcceptsABatchOfAThousand) {
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("k." + std::to_string(1000 + i));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, key});
  ASSERT_TRUE(client.write(changes));
  const auto found = client.scan("k.");
  ASSERT_EQ(found.size(), 1000u);
  EXPECT_EQ(found.front(), "k.1000=k.1000");
  EXPECT_EQ(found.back(), "k.1999=k.1999");
}

TEST_P(StoreConformance, KeepsNoViewOfItsArguments) {
  std::string key = "key";
  std::string value = "value";
  ASSERT_TRUE(client.put(key, value));
  ASSERT_EQ(client.swap("swapped", std::nullopt, value), true);
  key.assign("xxx");
  value.assign("xxxxx");
  EXPECT_EQ(client.get("key"), "value");
  EXPECT_EQ(client.get("swapped"), "value");
}

TEST_P(StoreConformance, ChangesNothingIfOneValueIsTooLarge) {
  const std::string large(262'145, 'v');
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(client.write({{"a", "new"}, {"b", std::nullopt}, {"c", large}, {"d", "4"}}), too_large);
  EXPECT_EQ(client.swap("a", "1", large), too_large);
  EXPECT_EQ(client.scan(""), (std::vector<std::string>{"a=1", "b=2"}));
}

TEST_P(StoreConformance, ChangesNothingIfOneKeyIsOutsideTheLimits) {
  const std::string long_key(201, 'k');
  for (std::string_view key : {std::string_view(long_key), ""sv}) {
    EXPECT_EQ(client.write({{"a", "new"}, {key, "v"}}), too_large);
    EXPECT_EQ(client.write({{"a", "new"}, {key, std::nullopt}}), too_large);
    EXPECT_EQ(client.swap(key, std::nullopt, "v"), too_large);
  }
  EXPECT_TRUE(client.scan("").empty());
}

TEST_P(StoreConformance, WritesWhileASessionIsOpen) {
  auto session = client.open();
  EXPECT_TRUE(client.put("k", "1"));
  EXPECT_EQ(client.swap("k", "1", "2"), true);
  client.views(*session, {"k"});
  EXPECT_TRUE(client.remove("k"));
  EXPECT_EQ(client.get("k"), std::nullopt);
}

TEST_P(StoreConformance, SwapsOnlyIfTheValueIsExactlyTheExpectedOne) {
  EXPECT_EQ(client.swap("k", "1", "2"), false) << "expected a value, there is none";
  EXPECT_EQ(client.get("k"), std::nullopt);
  EXPECT_EQ(client.swap("k", "", "2"), false) << "an empty value is not an absence";
  EXPECT_EQ(client.get("k"), std::nullopt);
  EXPECT_EQ(client.swap("k", std::nullopt, "1"), true);
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(client.swap("k", std::nullopt, "2"), false) << "expected none, there is a value";
  EXPECT_EQ(client.swap("k", "2", "3"), false);
  EXPECT_EQ(client.swap("k", "10", "3"), false);
  EXPECT_EQ(client.swap("k", "", "3"), false);
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(client.swap("k", "1", "1"), true);
  EXPECT_EQ(client.swap("k", "1", ""), true);
  EXPECT_EQ(client.get("k"), "");
  EXPECT_EQ(client.swap("k", std::nullopt, "2"), false) << "an empty value is not an absence";
  EXPECT_EQ(client.swap("k", "", "2"), true);
  EXPECT_EQ(client.get("k"), "2");
}

TEST_P(StoreConformance, ComparesEveryByteOfALargeValue) {
  std::string value(262'144, 'v');
  value[100] = '\0';
  std::string other = value;
  other.back() = 'w';
  ASSERT_TRUE(client.put("k", value));
  EXPECT_EQ(client.swap("k", other, "new"), false);
  EXPECT_EQ(client.swap("k", std::string_view(value).substr(0, 100), "new"), false);
  EXPECT_EQ(client.swap("k", value, other), true);
  EXPECT_EQ(client.get("k"), other);
}

TEST_P(StoreConformance, SwapsAfterARemoval) {
  ASSERT_TRUE(client.put("k", "1"));
  ASSERT_TRUE(client.remove("k"));
  EXPECT_EQ(client.swap("k", "1", "2"), false);
  EXPECT_EQ(client.swap("k", std::nullopt, "2"), true);
  EXPECT_EQ(client.get("k"), "2");
}

}  // namespace
}  // namespace portail
