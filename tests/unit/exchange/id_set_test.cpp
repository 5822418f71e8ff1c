#include "core/exchange/steps/id_set.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(IdSet, ContainsInsertedIds) {
  IdSet ids;
  for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(ids.insert(IdSet::of(std::to_string(i))));
  EXPECT_EQ(ids.size(), 20'000U);
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_FALSE(ids.insert(IdSet::of(std::to_string(i))));
    EXPECT_FALSE(ids.contains(IdSet::of(std::to_string(-1 - i))));
  }
  EXPECT_EQ(ids.size(), 20'000U);
}

TEST(IdSet, AcceptsConsecutiveUuids) {
  IdSet ids;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    EXPECT_TRUE(ids.insert({0, i}));
    EXPECT_TRUE(ids.insert({i + 1, 0}));
  }
  EXPECT_EQ(ids.size(), 40'000U);
}

TEST(IdSet, AcceptsTheNilUuid) {
  IdSet ids;
  const IdSet::Id nil = IdSet::of_uuid("00000000-0000-0000-0000-000000000000");
  EXPECT_FALSE(ids.contains(nil));
  EXPECT_TRUE(ids.insert(nil));
  EXPECT_FALSE(ids.insert(nil));
  EXPECT_TRUE(ids.contains(nil));
}

TEST(IdSet, ReadsUuids) {
  EXPECT_EQ(IdSet::of_uuid("3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
            (IdSet::Id{0x3f2504e04f8941d3, 0x9a0c0305e82c3301}));
}

}  // namespace
}  // namespace portail
