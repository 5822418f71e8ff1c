#include "core/storage/persistent_map.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

struct Contents : Visitor {
  bool visit(std::string_view key, std::string_view value) override {
    pairs.emplace_back(key, value);
    return true;
  }
  std::vector<std::pair<std::string, std::string>> pairs;
};

std::vector<std::pair<std::string, std::string>> contents(const PersistentMap& map, std::string_view prefix = "") {
  Contents found;
  map.scan(prefix, found);
  return found.pairs;
}

TEST(PersistentMap, LeavesEarlierVersionsAsTheyWere) {
  const PersistentMap empty;
  const PersistentMap one = empty.with("a", "1", 5);
  const PersistentMap two = one.with("b", "2", 9);
  const PersistentMap changed = two.with("a", "one", 7);
  const PersistentMap removed = changed.without("b");
  EXPECT_EQ(empty.find("a"), std::nullopt);
  EXPECT_EQ(one.find("a"), "1");
  EXPECT_EQ(one.find("b"), std::nullopt);
  EXPECT_EQ(two.find("a"), "1");
  EXPECT_EQ(changed.find("a"), "one");
  EXPECT_EQ(changed.find("b"), "2");
  EXPECT_EQ(removed.find("b"), std::nullopt);
  EXPECT_EQ(removed.without("b").find("a"), "one");
}

// Against std::map, over a fixed pseudo-random history; every hundredth version is kept and compared again at the end.
TEST(PersistentMap, IsAMap) {
  std::uint64_t state = 1;
  auto random = [&state] { return state = state * 6364136223846793005 + 1442695040888963407, state >> 33; };
  std::map<std::string, std::string> model;
  PersistentMap map;
  std::vector<std::pair<PersistentMap, std::map<std::string, std::string>>> history;
  for (int step = 0; step < 5000; ++step) {
    const std::string key = "k" + std::to_string(random() % 300);
    if (random() % 3 == 0) {
      model.erase(key);
      map = map.without(key);
    } else {
      const std::string value = std::to_string(step);
      model[key] = value;
      map = map.with(key, value, random());
    }
    ASSERT_EQ(map.find(key).has_value(), model.contains(key));
    if (step % 100 == 0) history.emplace_back(map, model);
  }
  history.emplace_back(map, model);
  for (const auto& [version, expected] : history) {
    const std::vector<std::pair<std::string, std::string>> in_order(expected.begin(), expected.end());
    ASSERT_EQ(contents(version), in_order);
  }
}

TEST(PersistentMap, KeepsItsBalanceUnderSortedInsertion) {
  // A degenerate tree would need a stack of 100,000 frames here, and a quadratic time.
  std::uint64_t state = 1;
  PersistentMap map;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    map = map.with(std::to_string(1'000'000 + i), "", state);
  }
  EXPECT_EQ(map.find("1099999"), "");
  EXPECT_EQ(contents(map, "10000").size(), 100u);
}

TEST(PersistentMap, ScansAPrefixInOrderOfBytes) {
  PersistentMap map;
  std::uint64_t priority = 0;
  for (std::string_view key : {"b.2", "a", "b.10", "b", "c", "b.1", "b-", "ba"})
    map = map.with(key, "", ++priority % 3);
  std::vector<std::string> keys;
  for (const auto& [key, value] : contents(map, "b.")) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"b.1", "b.10", "b.2"}));
  EXPECT_TRUE(contents(map, "d").empty());
  EXPECT_EQ(contents(map, "").size(), 8u);
}

TEST(PersistentMap, StopsWhenTold) {
  struct FirstTwo : Visitor {
    bool visit(std::string_view key, std::string_view) override { return (seen += key).size() < 2; }
    std::string seen;
  } first_two;
  PersistentMap map;
  for (std::string_view key : {"d", "b", "a", "c"}) map = map.with(key, "", 7);
  map.scan("", first_two);
  EXPECT_EQ(first_two.seen, "ab");
}

}  // namespace
}  // namespace portail
