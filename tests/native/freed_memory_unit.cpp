// When memory that connections freed goes back to the system.
#include <gtest/gtest.h>

#include "native/server/freed_memory.hpp"

namespace portail {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(FreedMemoryTest, IsReturnedTwiceWhenACrowdHasGone) {
  FreedMemory memory;
  EXPECT_FALSE(memory.is_due(100 * mebibyte));
  EXPECT_FALSE(memory.is_due(20 * mebibyte)) << "more is being freed";
  EXPECT_TRUE(memory.is_due(20 * mebibyte));
  EXPECT_TRUE(memory.is_due(20 * mebibyte)) << "the last connection is counted no more before it is freed";
  EXPECT_FALSE(memory.is_due(20 * mebibyte));
}

TEST(FreedMemoryTest, IsReturnedAfterACrowdBetweenTwoTicks) {
  FreedMemory memory;
  EXPECT_FALSE(memory.is_due(0));
  memory.note(100 * mebibyte);
  EXPECT_TRUE(memory.is_due(0));
}

TEST(FreedMemoryTest, IsKeptWhereItIsLittle) {
  FreedMemory memory;
  EXPECT_FALSE(memory.is_due(7 * mebibyte));
  EXPECT_FALSE(memory.is_due(0));
  EXPECT_FALSE(memory.is_due(0));
}

// On a busy machine two ticks may pass while the peers close their connections.
TEST(FreedMemoryTest, IsReturnedAgainIfTheConnectionsCloseInTwoGroups) {
  FreedMemory memory;
  memory.note(52 * mebibyte);
  EXPECT_FALSE(memory.is_due(52 * mebibyte));
  EXPECT_FALSE(memory.is_due(13 * mebibyte));
  EXPECT_TRUE(memory.is_due(13 * mebibyte));
  EXPECT_TRUE(memory.is_due(13 * mebibyte));
  EXPECT_FALSE(memory.is_due(0));
  EXPECT_TRUE(memory.is_due(0));
  EXPECT_TRUE(memory.is_due(0));
  EXPECT_FALSE(memory.is_due(0));
}

TEST(FreedMemoryTest, IsKeptWhereMoreThanHalfIsStillOccupied) {
  FreedMemory memory;
  EXPECT_FALSE(memory.is_due(100 * mebibyte));
  EXPECT_FALSE(memory.is_due(51 * mebibyte));
  EXPECT_FALSE(memory.is_due(51 * mebibyte));
  EXPECT_FALSE(memory.is_due(50 * mebibyte));
  EXPECT_TRUE(memory.is_due(50 * mebibyte));
}

}  // namespace
}  // namespace portail
