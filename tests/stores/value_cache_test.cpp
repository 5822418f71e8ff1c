#include "core/files/value_cache.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t written = 1'700'000'000 * second;

// `after` microseconds after the file was written, on both clocks.
constexpr ClockReading moment(std::int64_t after) {
  return {.wall = {written + after}, .steady = 5'000 * second + after};
}
constexpr FileMetadata file(std::uint64_t size, std::int64_t time = written) {
  return {.size = size, .modified = time * 1000, .changed = time * 1000};
}

class CachedValue : public testing::Test {
 protected:
  CachedValue() { EXPECT_FALSE(values.should_stat("k", moment(0).wall)); }

  ValueCache values;
};

TEST_F(CachedValue, ValueIsReadTheFirstTimeAndValidatedAfterwards) {
  EXPECT_FALSE(values.should_stat("other", moment(10 * second).wall));
  EXPECT_TRUE(values.should_stat("other", moment(10 * second).wall));
  EXPECT_EQ(values.find("other", file(3), moment(10 * second)), nullptr);
}

TEST_F(CachedValue, ValueOfAnUnchangedFileIsFound) {
  EXPECT_EQ(*values.insert("k", file(3), moment(10 * second), "abc"), "abc");
  EXPECT_EQ(*values.find("k", file(3), moment(11 * second)), "abc");
  EXPECT_EQ(*values.find("k", file(3), moment(1'000'000 * second)), "abc");
  EXPECT_EQ(values.find("l", file(3), moment(11 * second)), nullptr);
}

TEST_F(CachedValue, AnyOtherStatusIsAMiss) {
  values.insert("k", file(3), moment(10 * second), "abc");
  EXPECT_EQ(values.find("k", file(4), moment(11 * second)), nullptr);
  FileMetadata status = file(3);
  status.modified += 1;
  EXPECT_EQ(values.find("k", status, moment(11 * second)), nullptr);
  status = file(3);
  status.changed += 1;  // a program that replaces a file can set its modification time only
  EXPECT_EQ(values.find("k", status, moment(11 * second)), nullptr);
  status = file(3);
  status.changed -= second;
  EXPECT_EQ(values.find("k", status, moment(11 * second)), nullptr);
  // Two files of the same tick, long ago; one of them now replaces the other.
  status = file(3);
  status.identity = {7, 0};
  EXPECT_EQ(values.find("k", status, moment(11 * second)), nullptr);
  EXPECT_NE(values.find("k", file(3), moment(11 * second)), nullptr);
}

// Replaced by a file of the same size within the same tick: both have the same status.
TEST_F(CachedValue, ValueThatWasReadSoonAfterAChangeIsNotTrusted) {
  for (const std::int64_t after : {std::int64_t{0}, second / 1000, second, 4 * second - 1}) {
    EXPECT_EQ(*values.insert("k", file(3), moment(after), "abc"), "abc");
    EXPECT_EQ(values.find("k", file(3), moment(after)), nullptr) << after;
    EXPECT_FALSE(values.should_stat("k", moment(after).wall)) << after;
  }
  EXPECT_TRUE(values.should_stat("k", moment(4 * second).wall));
  values.insert("k", file(3), moment(4 * second), "abd");
  EXPECT_EQ(*values.find("k", file(3), moment(4 * second)), "abd");
}

// A file system that counts in two seconds stamps a change with a time up to two seconds before it.
TEST_F(CachedValue, CoarseTimesAreReadAgainUntilTheyAreOld) {
  const std::int64_t stamped = written - 2 * second;
  values.insert("k", file(3, stamped), moment(second), "abc");
  EXPECT_EQ(values.find("k", file(3, stamped), moment(second)), nullptr);
  values.insert("k", file(3, stamped), moment(3 * second), "abd");
  EXPECT_EQ(*values.find("k", file(3, stamped), moment(3 * second)), "abd");
}

TEST_F(CachedValue, TimesInTheFutureAreNotTrusted) {
  values.insert("k", file(3, written + 3600 * second), moment(10 * second), "abc");
  EXPECT_EQ(values.find("k", file(3, written + 3600 * second), moment(11 * second)), nullptr);
  EXPECT_FALSE(values.should_stat("k", moment(11 * second).wall));
}

// After the clock was set back a new change may have the times of the old one.
TEST_F(CachedValue, ClockThatWasSetBackInvalidatesAll) {
  values.insert("k", file(3), moment(10 * second), "abc");
  ClockReading now = moment(20 * second);
  now.wall.microseconds -= second;
  EXPECT_NE(values.find("k", file(3), now), nullptr);  // the tolerance for a clock that is being corrected
  now.wall.microseconds -= 1;
  EXPECT_EQ(values.find("k", file(3), now), nullptr);
  EXPECT_EQ(values.find("k", file(3), moment(20 * second)), nullptr);
  EXPECT_EQ(values.bytes(), 0U);
}

// While the clock is before the last change, values are not validated; set forward again, it must not revive cached
// values.
TEST_F(CachedValue, ClockThatWasSetBackAndForwardAgainInvalidatesAll) {
  values.insert("k", file(3), moment(10 * second), "abc");
  EXPECT_FALSE(values.should_stat("k", {written}));
  EXPECT_EQ(values.bytes(), 0U);
  EXPECT_TRUE(values.should_stat("k", moment(20 * second).wall));
  EXPECT_EQ(values.find("k", file(3), moment(20 * second)), nullptr);
}

TEST_F(CachedValue, ClockThatWasSetForwardIsNoChange) {
  values.insert("k", file(3), moment(10 * second), "abc");
  ClockReading now = moment(20 * second);
  now.wall.microseconds += 3600 * second;
  EXPECT_NE(values.find("k", file(3), now), nullptr);
}

TEST_F(CachedValue, ChangeBetweenStatAndReadIsSeenByTheNextStat) {
  // The stat was of the old file, and the read of the new one, which may have another size.
  EXPECT_EQ(*values.insert("k", file(3), moment(10 * second), "abcd"), "abcd");
  EXPECT_EQ(values.find("k", file(3), moment(11 * second)), nullptr);
  values.insert("k", file(3), moment(10 * second), "abd");
  EXPECT_EQ(values.find("k", file(3, written + 10 * second), moment(11 * second)), nullptr);
}

TEST(ValueCache, HoldsTwoMebibytesAtMost) {
  ValueCache values;
  for (int i = 0; i < 40; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_FALSE(values.should_stat(key, moment(10 * second).wall));
    values.insert(key, file(100'000), moment(10 * second), std::string(100'000, 'v'));
    ASSERT_LE(values.bytes(), 2U * 1024 * 1024);
  }
  EXPECT_EQ(values.bytes(), 2'000'000U);
  EXPECT_EQ(values.find("19", file(100'000), moment(11 * second)), nullptr);
  EXPECT_NE(values.find("20", file(100'000), moment(11 * second)), nullptr);
}

TEST(ValueCache, EvictsTheLeastRecentlyUsedFirst) {
  ValueCache values;
  const auto read = [&values](std::string_view key) {
    EXPECT_FALSE(values.should_stat(key, moment(10 * second).wall)) << key;
    values.insert(key, file(1'000'000), moment(10 * second), std::string(1'000'000, 'v'));
  };
  read("one");
  read("two");
  EXPECT_TRUE(values.should_stat("one", moment(11 * second).wall));
  read("three");
  EXPECT_NE(values.find("one", file(1'000'000), moment(11 * second)), nullptr);
  EXPECT_EQ(values.find("two", file(1'000'000), moment(11 * second)), nullptr);
  EXPECT_NE(values.find("three", file(1'000'000), moment(11 * second)), nullptr);
  EXPECT_EQ(values.bytes(), 2'000'000U);
}

TEST(ValueCache, CachesTheLast4096Keys) {
  ValueCache values;
  for (int i = 0; i < 4097; ++i) {
    EXPECT_FALSE(values.should_stat(std::to_string(i), moment(10 * second).wall));
    values.insert(std::to_string(i), file(1), moment(10 * second), "v");
  }
  EXPECT_EQ(values.find("0", file(1), moment(11 * second)), nullptr);
  EXPECT_NE(values.find("1", file(1), moment(11 * second)), nullptr);
  EXPECT_EQ(values.bytes(), 4096U);
}

}  // namespace
}  // namespace portail
