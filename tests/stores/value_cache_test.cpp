#include "core/storage/value_cache.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr StoreRevision first{{2, 1'700'000'000, 1'700'000'000}};
constexpr StoreRevision second{{4, 1'700'000'001, 1'700'000'001}};

ValueCache::SharedValue shared(std::string value) { return std::make_shared<const std::string>(std::move(value)); }

// Returns the cached value, "absent" for a key without a value, and "miss" if it is not cached.
std::string found(ValueCache& values, std::string_view key, const StoreRevision& revision = first) {
  const auto value = values.find(key, revision);
  if (!value) return "miss";
  return *value ? **value : "absent";
}

TEST(ValueCache, FindsValuesAndAbsentOnesAtTheirRevision) {
  ValueCache values;
  values.set_revision(first);
  EXPECT_EQ(found(values, "k"), "miss");
  values.insert("k", first, shared("abc"));
  values.insert("gone", first, nullptr);
  values.set_revision(first);
  EXPECT_EQ(found(values, "k"), "abc");
  EXPECT_EQ(found(values, "gone"), "absent");
  EXPECT_EQ(found(values, "k", second), "miss");
  EXPECT_EQ(values.counts(), (CacheCounts{.hits = 2, .misses = 2, .bytes = 3}));
}

TEST(ValueCache, KeepsNoValueOfAnotherRevision) {
  for (const StoreRevision& other : {second, StoreRevision{{2, first.numbers[1] + 1, first.numbers[2]}},
                                     StoreRevision{{2, first.numbers[1], first.numbers[2] - 1}}}) {
    ValueCache values;
    values.set_revision(first);
    values.insert("k", first, shared("abc"));
    values.set_revision(other);
    EXPECT_EQ(found(values, "k", other), "miss");
    EXPECT_EQ(values.counts(), (CacheCounts{.misses = 1}));
    // A folder that was restored has an earlier revision once more, with other values.
    values.set_revision(first);
    EXPECT_EQ(found(values, "k"), "miss");
  }
}

// A session that began before a write inserts what it read before the write.
TEST(ValueCache, IgnoresAValueOfAnEarlierRevision) {
  ValueCache values;
  values.set_revision(first);
  values.set_revision(second);
  values.insert("k", first, shared("old"));
  EXPECT_EQ(found(values, "k", first), "miss");
  EXPECT_EQ(found(values, "k", second), "miss");
}

TEST(ValueCache, ReplacesAValue) {
  ValueCache values;
  values.set_revision(first);
  values.insert("k", first, shared("old"));
  values.insert("k", first, shared("newer"));
  EXPECT_EQ(found(values, "k"), "newer");
  EXPECT_EQ(values.counts().bytes, 5u);
}

TEST(ValueCache, RemovesTheLeastRecentlyUsedBeyondTwoMebibytes) {
  ValueCache values;
  values.set_revision(first);
  for (const char* key : {"a", "b", "c", "d"}) values.insert(key, first, shared(std::string(512 * 1024, 'v')));
  EXPECT_EQ(values.counts().bytes, 2u * 1024 * 1024);
  EXPECT_NE(found(values, "a"), "miss");
  values.insert("e", first, shared("v"));
  EXPECT_EQ(found(values, "b"), "miss");
  EXPECT_EQ(values.counts(), (CacheCounts{.hits = 1, .misses = 1, .evictions = 1, .bytes = 3u * 512 * 1024 + 1}));
  for (const char* key : {"a", "c", "d", "e"}) EXPECT_NE(found(values, key), "miss") << key;
  values.insert("large", first, shared(std::string(2 * 1024 * 1024 + 1, 'v')));
  EXPECT_EQ(found(values, "large"), "miss");
  EXPECT_NE(found(values, "a"), "miss");
}

TEST(ValueCache, HoldsAtMost4096Keys) {
  ValueCache values;
  values.set_revision(first);
  for (int i = 0; i < 4097; ++i) values.insert(std::to_string(i), first, nullptr);
  EXPECT_EQ(found(values, "0"), "miss");
  EXPECT_EQ(found(values, "1"), "absent");
  EXPECT_EQ(found(values, "4096"), "absent");
}

}  // namespace
}  // namespace portail
