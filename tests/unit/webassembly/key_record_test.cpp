#include "core/webassembly/key_record.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(KeyRecordTest, IsEncodedAsAText) {
  const KeyRecord record{{.attempted_at = {5}, .fetched_at = Instant{7}, .failures = 2, .is_fetching = true},
                         "https://issuer.example/keys",
                         "{\"keys\":\n[]}"};
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

}  // namespace
}  // namespace portail
