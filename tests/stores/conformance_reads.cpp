#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

TEST_P(StoreConformance, IsEmptyAtFirst) {
  EXPECT_EQ(client.get("format"), std::nullopt);
  EXPECT_TRUE(client.scan("").empty());
}

TEST_P(StoreConformance, GetsManyInTheOrderOfTheKeysAbsencesIncluded) {
  ASSERT_TRUE(client.write({{"a", "1"}, {"b", "2"}, {"c", ""}}));
  auto session = client.open();
  EXPECT_EQ(client.views(*session, {"c", "x", "b", "a", "b", "aa"}),
            (std::vector<Value>{"", std::nullopt, "2", "1", "2", std::nullopt}));
  EXPECT_TRUE(client.views(*session, {}).empty());
}

TEST_P(StoreConformance, HasOneRevisionWhileNothingChanges) {
  ASSERT_TRUE(client.put("a", "1"));
  const auto first = client.open()->revision();
  if (!first) GTEST_SKIP() << "the store does not claim a revision";
  EXPECT_EQ(client.get("a"), "1");
  EXPECT_EQ(client.open()->revision(), first);
}

TEST_P(StoreConformance, HasANewRevisionAfterEachChange) {
  ASSERT_TRUE(client.put("a", "1"));
  std::vector<std::optional<StoreRevision>> revisions{client.open()->revision()};
  if (!revisions.front()) GTEST_SKIP() << "the store does not claim a revision";
  ASSERT_TRUE(client.put("a", "2"));
  revisions.push_back(client.open()->revision());
  ASSERT_EQ(client.swap("a", "2", "1"), true);
  revisions.push_back(client.open()->revision());
  ASSERT_TRUE(client.remove("a"));
  revisions.push_back(client.open()->revision());
  ASSERT_TRUE(client.write({{"a", "1"}, {"audit.1", "1"}}));
  revisions.push_back(client.open()->revision());
  for (std::size_t i = 0; i < revisions.size(); ++i) {
    ASSERT_TRUE(revisions[i]) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(revisions[i], revisions[j]) << i << ' ' << j;
  }
}

// An answer is cached with the revision that was read before its values.
TEST_P(StoreConformance, HasARevisionThatIsNotNewerThanLaterReads) {
  ASSERT_TRUE(client.put("a", "1"));
  auto session = client.open();
  const auto before = session->revision();
  if (!before) GTEST_SKIP() << "the store does not claim a revision";
  ASSERT_TRUE(client.put("a", "2"));
  EXPECT_EQ(session->revision(), before);
  EXPECT_NE(client.open()->revision(), before);
}

TEST_P(StoreConformance, AcceptsKeysOfEverySizeAndOfTheWholeAlphabet) {
  const std::string longest(200, 'k');
  const std::string almost = longest.substr(1);
  const std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_=ABCDEF.-";
  ASSERT_TRUE(client.write({{"k", "1"}, {almost, "199"}, {longest, "200"}, {alphabet, "all"}}));
  EXPECT_EQ(client.get("k"), "1");
  EXPECT_EQ(client.get(almost), "199");
  EXPECT_EQ(client.get(longest), "200");
  EXPECT_EQ(client.get(alphabet), "all");
}

TEST_P(StoreConformance, FindsNoValueUnderAKeyOutsideTheLimits) {
  ASSERT_TRUE(client.put("k", "1"));
  EXPECT_EQ(client.get(""), std::nullopt);
  EXPECT_EQ(client.get(std::string(201, 'k')), std::nullopt);
  EXPECT_EQ(client.get(std::string(100'000, 'k')), std::nullopt);
}

TEST_P(StoreConformance, ReturnsValuesOfEverySize) {
  const std::size_t sizes[] = {0, 1, 63, 64, 65, 1000, 4032, 4080, 4095, 4096, 65'536, 262'143, 262'144};
  for (std::size_t size : sizes) {
    const std::string value(size, 'v');
    const std::string name = "size." + std::to_string(size);
    ASSERT_TRUE(client.put(name, value)) << size;
    // Read immediately, while the value is the newest one of the store.
    auto session = client.open();
    const Value stored = client.views(*session, {name}).front();
    ASSERT_EQ(stored, value) << size;
  }
  auto session = client.open();
  for (std::size_t size : sizes) {
    const Value stored = client.views(*session, {"size." + std::to_string(size)}).front();
    ASSERT_EQ(stored, std::string(size, 'v')) << size;
  }
}

TEST_P(StoreConformance, ReturnsManyValuesInOneBatch) {
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.push_back("many." + std::to_string(i));
  const std::string longest(300, 'v');
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, std::string_view(longest).substr(0, changes.size())});
  ASSERT_TRUE(client.write(changes));
  auto session = client.open();
  const std::vector<Value> values = client.views(*session, {keys.begin(), keys.end()});
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], std::string(i, 'v')) << keys[i];
}

TEST_P(StoreConformance, KeepsEveryByte) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  ASSERT_TRUE(client.put("bytes", bytes));
  EXPECT_EQ(client.get("bytes"), bytes);
}

TEST_P(StoreConformance, KeepsViewsAsLongAsTheSession) {
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(client.put("k." + std::to_string(i), std::string(500, 'v')));
  auto session = client.open();
  const Value first = client.views(*session, {"k.0"}).front();
  const std::string large(262'144, 'n');
  for (int i = 0; i < 30; ++i) {
    client.views(*session, {"k." + std::to_string(i)});
    ASSERT_TRUE(client.put("k." + std::to_string(i), i % 2 == 0 ? std::string_view(large) : "new"));
  }
  EXPECT_EQ(first, std::string(500, 'v'));
}

TEST_P(StoreConformance, SeesEarlierWritesInASession) {
  ASSERT_TRUE(client.put("k", "1"));
  EXPECT_EQ(client.get("k"), "1");
  ASSERT_TRUE(client.put("k", "2"));
  EXPECT_EQ(client.get("k"), "2");
  ASSERT_TRUE(client.remove("k"));
  EXPECT_EQ(client.get("k"), std::nullopt);
}

TEST_P(StoreConformance, SeesOneStateInASession) {
  if (!store->traits().snapshots) GTEST_SKIP() << "the store does not claim snapshots";
  ASSERT_TRUE(client.write({{"changed", "old"}, {"removed", "old"}}));
  auto session = client.open();
  ASSERT_TRUE(client.write({{"changed", "new"}, {"removed", std::nullopt}, {"added", "new"}}));
  ASSERT_EQ(client.swap("swapped", std::nullopt, "new"), true);
  EXPECT_EQ(client.views(*session, {"changed", "removed", "added", "swapped"}),
            (std::vector<Value>{"old", "old", std::nullopt, std::nullopt}));
  auto later = client.open();
  EXPECT_EQ(client.views(*later, {"changed", "removed", "added", "swapped"}),
            (std::vector<Value>{"new", std::nullopt, "new", "new"}));
  session.reset();
  EXPECT_EQ(client.get(*later, "changed"), "new");
}

TEST_P(StoreConformance, KeepsASessionDuringManyWrites) {
  ASSERT_TRUE(client.put("old", std::string(5000, 'o')));
  auto session = client.open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.write({{"old", "changed"}, {"other", "v"}}));
    ASSERT_TRUE(client.put("old", std::string(5000, 'n')));
  }
  if (store->traits().snapshots) {
    EXPECT_EQ(client.get(*session, "old"), std::string(5000, 'o'));
  }
  EXPECT_EQ(client.get("old"), std::string(5000, 'n'));
}

TEST_P(StoreConformance, HoldsAHundredConcurrentSessions) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.put("k", std::to_string(i)));
    sessions.push_back(client.open());
    ASSERT_NE(sessions.back(), nullptr);
  }
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(client.get(*sessions[i], "k"), store->traits().snapshots ? std::to_string(i) : "99");
  }
}

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
