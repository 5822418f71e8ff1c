#include "core/webassembly/key_record.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr FetchTimes times{.interval = 300, .min_interval = 30, .timeout = 10, .max_age = 86'400};
constexpr std::int64_t start = 1'000'000'000;  // in seconds

Instant at(std::int64_t seconds) { return {(start + seconds) * 1'000'000}; }
std::int64_t seconds_until(Instant instant) { return instant.microseconds / 1'000'000 - start; }

TEST(KeyRecordTest, IsEncodedAsAText) {
  const KeyRecord record{.source = "https://issuer.example/keys",
                         .attempted_at = {5},
                         .fetched_at = Instant{7},
                         .failures = 2,
                         .is_fetching = true,
                         .key_set = "{\"keys\":\n[]}"};
  const std::string value = encode(record);
  EXPECT_EQ(value, "keys 1\nhttps://issuer.example/keys\n5 7 2 1\n{\"keys\":\n[]}");
  const auto parsed = parse_key_record(value);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->source, record.source);
  EXPECT_EQ(parsed->attempted_at, record.attempted_at);
  EXPECT_EQ(parsed->fetched_at, record.fetched_at);
  EXPECT_EQ(parsed->failures, 2);
  EXPECT_TRUE(parsed->is_fetching);
  EXPECT_EQ(parsed->key_set, record.key_set);
  EXPECT_FALSE(parse_key_record("keys 1\nhttps://issuer.example/keys\n5 0 0 0\n")->fetched_at);
}

TEST(KeyRecordTest, OtherTextIsNoRecord) {
  for (const char* text : {"", "keys 1", "keys 2\na\n1 1 0 0\n{}", "keys 1\na\n1 1 0\n{}", "keys 1\na\n-1 1 0 0\n{}",
                           "keys 1\na\n1 1 0 x\n{}", "keys 1\na\n1  0 0\n{}", "keys 1\na\n1 99999999999999999999 0 0\n",
                           R"({"keys":[]})"}) {
    EXPECT_FALSE(parse_key_record(text)) << text;
  }
}

TEST(KeyRecordTest, ASetIsDueAfterTheInterval) {
  EXPECT_LE(due_at({}, times), at(0)) << "it was never fetched";
  const KeyRecord record{.source = "a", .attempted_at = at(0), .fetched_at = at(1)};
  EXPECT_EQ(seconds_until(due_at(record, times)), 301);
  EXPECT_EQ(seconds_until(due_for_unknown_key(record, times)), 30);
}

TEST(KeyRecordTest, FailuresDoubleTheInterval) {
  KeyRecord record{.source = "a", .attempted_at = at(0)};
  const auto due_after = [&](std::uint32_t failures) {
    record.failures = failures;
    return seconds_until(due_at(record, times));
  };
  EXPECT_EQ(due_after(1), 1);
  EXPECT_EQ(due_after(2), 2);
  EXPECT_EQ(due_after(5), 16);
  EXPECT_EQ(due_after(6), 30);
  EXPECT_EQ(due_after(1'000'000), 30);
  record.fetched_at = at(-1000);
  EXPECT_EQ(due_after(1), 30);
  EXPECT_EQ(due_after(2), 60);
  EXPECT_EQ(due_after(5), 300);
  EXPECT_EQ(seconds_until(due_for_unknown_key(record, times)), 30);
}

TEST(KeyRecordTest, AnAttemptThatNeverEndedIsRepeatedAfterItsTimeout) {
  const KeyRecord record{.source = "a", .attempted_at = at(0), .fetched_at = at(-400), .is_fetching = true};
  EXPECT_EQ(seconds_until(due_at(record, times)), 12);
  EXPECT_EQ(seconds_until(due_for_unknown_key(record, times)), 12);
}

TEST(KeyRecordTest, ASetExpires) {
  KeyRecord record{.source = "a", .attempted_at = at(0)};
  EXPECT_FALSE(has_valid_keys(record, times, at(0)));
  record.fetched_at = at(0);
  EXPECT_TRUE(has_valid_keys(record, times, at(86'399)));
  EXPECT_FALSE(has_valid_keys(record, times, at(86'400)));
  EXPECT_TRUE(has_valid_keys(record, times, at(-100))) << "the clock was set back";
}

}  // namespace
}  // namespace portail
