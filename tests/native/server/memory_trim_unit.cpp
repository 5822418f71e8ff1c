// When freed memory is returned to the system.
#include <gtest/gtest.h>

#include "native/server/memory_trim.hpp"

namespace portail::server {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(MemoryTrimTest, TrimsTwiceAfterAPeak) {
  MemoryTrim memory;
  EXPECT_FALSE(memory.should_trim(100 * mebibyte));
  EXPECT_FALSE(memory.should_trim(20 * mebibyte)) << "usage is still falling";
  EXPECT_TRUE(memory.should_trim(20 * mebibyte));
  EXPECT_TRUE(memory.should_trim(20 * mebibyte)) << "a connection leaves the count before its memory is freed";
  EXPECT_FALSE(memory.should_trim(20 * mebibyte));
}

TEST(MemoryTrimTest, TrimsAfterAPeakBetweenTwoTicks) {
  MemoryTrim memory;
  EXPECT_FALSE(memory.should_trim(0));
  memory.record_usage(100 * mebibyte);
  EXPECT_TRUE(memory.should_trim(0));
}

TEST(MemoryTrimTest, DoesNotTrimSmallAmounts) {
  MemoryTrim memory;
  EXPECT_FALSE(memory.should_trim(7 * mebibyte));
  EXPECT_FALSE(memory.should_trim(0));
  EXPECT_FALSE(memory.should_trim(0));
}

// On a busy machine two ticks may pass while connections close.
TEST(MemoryTrimTest, TrimsAgainIfConnectionsCloseInTwoGroups) {
  MemoryTrim memory;
  memory.record_usage(52 * mebibyte);
  EXPECT_FALSE(memory.should_trim(52 * mebibyte));
  EXPECT_FALSE(memory.should_trim(13 * mebibyte));
  EXPECT_TRUE(memory.should_trim(13 * mebibyte));
  EXPECT_TRUE(memory.should_trim(13 * mebibyte));
  EXPECT_FALSE(memory.should_trim(0));
  EXPECT_TRUE(memory.should_trim(0));
  EXPECT_TRUE(memory.should_trim(0));
  EXPECT_FALSE(memory.should_trim(0));
}

TEST(MemoryTrimTest, DoesNotTrimWhileMoreThanHalfIsUsed) {
  MemoryTrim memory;
  EXPECT_FALSE(memory.should_trim(100 * mebibyte));
  EXPECT_FALSE(memory.should_trim(51 * mebibyte));
  EXPECT_FALSE(memory.should_trim(51 * mebibyte));
  EXPECT_FALSE(memory.should_trim(50 * mebibyte));
  EXPECT_TRUE(memory.should_trim(50 * mebibyte));
}

}  // namespace
}  // namespace portail::server
