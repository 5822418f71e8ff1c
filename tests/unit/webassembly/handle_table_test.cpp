// The handles of the plain module, as wasm/abi/portail.h promises them.
#include "wasm/module/handle_table.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace portail::wasm {
namespace {

TEST(HandleTable, FindsWhatWasInsertedUntilItIsErased) {
  HandleTable<int> table;
  int object = 0;
  int other = 0;
  const std::uint32_t handle = table.insert(object);
  const std::uint32_t later = table.insert(other);
  EXPECT_EQ(handle, 1u);
  EXPECT_EQ(later, 2u);
  EXPECT_EQ(table.find(handle), &object);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(3), nullptr);
  table.erase(handle);
  EXPECT_EQ(table.find(handle), nullptr);
  EXPECT_EQ(table.find(later), &other);
  EXPECT_EQ(table.insert(object), 3u) << "a handle is not used again";
}

TEST(HandleTable, HoldsAtMost65535Handles) {
  HandleTable<int> table;
  std::vector<int> objects(65'536);
  for (std::uint32_t i = 0; i < 65'535; ++i) ASSERT_EQ(table.insert(objects[i]), i + 1);
  EXPECT_EQ(table.insert(objects.back()), 0u);
  EXPECT_EQ(table.find(65'536), nullptr);
  table.erase(7);
  EXPECT_EQ(table.insert(objects.back()), 65'536u);
  EXPECT_EQ(table.insert(objects.front()), 0u);
}

}  // namespace
}  // namespace portail::wasm
