#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_protocol.hpp"

namespace portail {
namespace {

constexpr redis::ReplyLimit limit{.max_bytes = 100'000, .max_elements = 10};
const std::string too_large = "its reply is larger than any to this command";
const std::string protocol_violation = "its reply violates the Redis protocol";

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Feeds one reply in pieces of that size, and returns the fault, "whole" if the reply is complete, or "more" if it is
// not.
std::string outcome_of(std::string_view reply, std::size_t piece, redis::ReplyLimit command_limit = limit) {
  redis::ReplyReader reader;
  reader.expect(std::span(&command_limit, 1));
  std::string outcome = "more";
  while (!reply.empty()) {
    const std::string_view now = reply.substr(0, piece);
    reply.remove_prefix(now.size());
    reader.feed(std::span(now.data(), now.size()));
    while (true) {
      const auto next = reader.next();
      if (!next) return next.error().message;
      if (!*next) break;
      outcome = "whole";
    }
  }
  return outcome;
}

struct Row {
  std::string reply;
  std::string outcome;
};

void expect_outcomes(std::span<const Row> rows) {
  ASSERT_FALSE(rows.empty());
  for (const auto& [reply, outcome] : rows) {
    for (const std::size_t piece : {reply.size(), std::size_t{1000}, std::size_t{7}}) {
      EXPECT_EQ(outcome_of(reply, piece), outcome) << reply.substr(0, 40) << " of " << reply.size() << " by " << piece;
    }
  }
}

TEST(RedisReplies, AreBoundedInDepth) {
  expect_outcomes(std::array{Row{repeated("*1\r\n", 4) + ":1\r\n", "whole"}, Row{repeated("*1\r\n", 5), too_large},
                             Row{repeated("*1\r\n", 20'000), too_large},
                             Row{repeated("*1\r\n", 20'000) + "-ERR\r\n", too_large}});
}

TEST(RedisReplies, AreBoundedInElements) {
  expect_outcomes(std::array{Row{"*10\r\n" + repeated("$-1\r\n", 10), "whole"}, Row{"*11\r\n", too_large},
                             Row{"*2\r\n*4\r\n" + repeated(":1\r\n", 4) + "*4\r\n" + repeated(":1\r\n", 4), "whole"},
                             Row{"*2\r\n*4\r\n" + repeated(":1\r\n", 4) + "*5\r\n", too_large},
                             Row{"*1048576\r\n", too_large}, Row{"*4294967295\r\n", too_large},
                             Row{"*4294967296\r\n", protocol_violation},
                             Row{"*9223372036854775807\r\n", protocol_violation}, Row{"*-2\r\n", protocol_violation},
                             Row{"*-1\r\n", "whole"}, Row{"*0\r\n", "whole"}});
}

TEST(RedisReplies, AreBoundedInBytes) {
  const std::string large(99'000, 'x');
  expect_outcomes(std::array{
      Row{"$99000\r\n" + large + "\r\n", "whole"}, Row{"$2147483647\r\n" + large, "more"},
      Row{"$2147483647\r\n" + large + large, too_large}, Row{"$9223372036854775807\r\n" + large + large, too_large},
      Row{"*2\r\n$60000\r\n" + large.substr(0, 60'000) + "\r\n$60000\r\n" + large.substr(0, 60'000) + "\r\n",
          too_large},
      Row{"$-2\r\n", protocol_violation}});
}

TEST(RedisReplies, HaveNoEndlessLines) {
  const std::string line(65'536, 'x');
  const std::string digits(40, '1');
  expect_outcomes(std::array{Row{"+" + line + "\r\n", "whole"}, Row{"+" + line + "x\r\n", too_large},
                             Row{"+" + line + "xx", too_large}, Row{"-" + line + "xx", too_large},
                             Row{":" + repeated("1", 70'000), too_large}, Row{"*" + repeated("1", 70'000), too_large},
                             Row{"$" + digits, too_large}, Row{"$" + repeated("1", 10), "more"}});
}

TEST(RedisReplies, AreOfProtocolVersion2) {
  for (const std::string reply :
       {"%1\r\n+a\r\n+b\r\n", "~1\r\n+a\r\n", ">1\r\n+a\r\n", "|1\r\n+a\r\n+b\r\n", "=5\r\ntxt:a\r\n", "(12345\r\n",
        ",1.5\r\n", ",inf\r\n", "#t\r\n", "#f\r\n", "_\r\n", "*1\r\n_\r\n", "*1\r\n%0\r\n", "*?\r\n", "$?\r\n"}) {
    EXPECT_EQ(outcome_of(reply, reply.size()), protocol_violation) << reply;
  }
}

TEST(RedisReplies, AreRejectedIfUnexpected) {
  EXPECT_EQ(outcome_of("+OK\r\n", 5), "whole");
  EXPECT_EQ(outcome_of("+OK\r\n+", 6), protocol_violation);
  EXPECT_EQ(outcome_of("+OK\r\n+OK\r\n", 10), protocol_violation);
}

// Each reply has its own limit and its own counts.
TEST(RedisReplies, HaveTheLimitsOfTheirCommands) {
  redis::ReplyReader reader;
  reader.expect(std::array{redis::ReplyLimit{.max_bytes = 40, .max_elements = 2}, limit,
                           redis::ReplyLimit{.max_bytes = 40, .max_elements = 2}});
  const std::string bytes =
      "*2\r\n:1\r\n:2\r\n"
      "*9\r\n" +
      repeated("$4\r\nbody\r\n", 9) + "*2\r\n:1\r\n:2\r\n";
  reader.feed(bytes);
  for (const std::size_t elements : {2U, 9U, 2U}) {
    const auto reply = reader.next();
    ASSERT_TRUE(reply && *reply);
    EXPECT_EQ(redis::elements_of(**reply).size(), elements);
  }
}

}  // namespace
}  // namespace portail
