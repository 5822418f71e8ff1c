// The server that a URL with sentinels leads to. The sentinels are fakes; tests/native/stores/sentinel_test.py has real
// ones.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_import_lock.hpp"
#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {
namespace {

const std::string greeting_reply = "+PONG\r\n";
const std::string no_primary_reply = "*-1\r\n";

std::string primary_reply(std::uint16_t port) {
  const std::string text = std::to_string(port);
  return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// Returns the connections of a fake sentinel, one for each answer.
std::vector<FakeRedisServer::Answers> sentinel_answers(const std::vector<std::string>& answers) {
  std::vector<FakeRedisServer::Answers> connections;
  for (const std::string& answer : answers) connections.push_back({greeting_reply, answer});
  return connections;
}

redis::Url url_of_sentinels(const std::vector<std::uint16_t>& sentinels) {
  redis::Url url;
  for (const std::uint16_t port : sentinels) url.sentinels.push_back({.host = "127.0.0.1", .port = port});
  url.primary = "portal";
  return url;
}

std::string expected_error(const redis::Url& url, std::string_view why) {
  return url.name() + " cannot be used: " + std::string(why);
}

std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

TEST(RedisPrimary, IsTheServerThatTheFirstSentinelReports) {
  const ValkeyServer primary;
  FakeRedisServer first(sentinel_answers({primary_reply(primary.url.port), primary_reply(primary.url.port)}));
  FakeRedisServer second(sentinel_answers({no_primary_reply}));
  const redis::Url url = url_of_sentinels({first.url.port, second.url.port});
  EXPECT_EQ(url.name(), "redis+sentinel://" + at(first.url.port) + ',' + at(second.url.port) + "/portal/0");
  LoggedRedis store(url);
  EXPECT_TRUE(store.put("k", "v"));
  EXPECT_EQ(primary.cli({"get", "k"}), "v\n");
  EXPECT_TRUE(redis::ImportLock::acquire(url));
  EXPECT_EQ(second.accepted(), 0);
}

TEST(RedisPrimary, IsQueriedAgainAfterADemotion) {
  ValkeyServer old;
  ValkeyServer promoted;
  // The second reply still names the old primary, which then reports that it is a replica.
  FakeRedisServer sentinel(
      sentinel_answers({primary_reply(old.url.port), primary_reply(old.url.port), primary_reply(promoted.url.port)}));
  LoggedRedis store(url_of_sentinels({sentinel.url.port}));
  ASSERT_TRUE(store.put("k", "old"));
  ASSERT_EQ(old.cli({"replicaof", "127.0.0.1", std::to_string(free_port())}), "OK\n");
  EXPECT_EQ(store.put("k", "lost"), std::unexpected(Failure::unavailable));
  wait_until([&store] { return store.put("k", "new").has_value(); });
  EXPECT_EQ(promoted.cli({"get", "k"}), "new\n");
  EXPECT_EQ(old.cli({"get", "k"}), "old\n");
  EXPECT_EQ(sentinel.accepted(), 3);
}

TEST(RedisPrimary, IsQueriedAgainAfterALostConnection) {
  ValkeyServer old;
  ValkeyServer promoted;
  FakeRedisServer sentinel(
      sentinel_answers({primary_reply(old.url.port), primary_reply(old.url.port), primary_reply(promoted.url.port)}));
  LoggedRedis store(url_of_sentinels({sentinel.url.port}));
  ASSERT_TRUE(store.put("k", "old"));
  old.kill();
  EXPECT_EQ(store.put("k", "lost"), std::unexpected(Failure::unavailable));
  wait_until([&store] { return store.put("k", "new").has_value(); });
  EXPECT_EQ(promoted.cli({"get", "k"}), "new\n");
}

TEST(RedisPrimary, IsQueriedAgainAfterATimeout) {
  const std::string is_primary = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
  FakeRedisServer frozen({{greeting_reply, is_primary, "*2\r\n$-1\r\n$-1\r\n$-1\r\n", std::nullopt}});
  const ValkeyServer promoted;
  ASSERT_EQ(promoted.cli({"set", "k", "new"}), "OK\n");
  FakeRedisServer sentinel(sentinel_answers({primary_reply(frozen.url.port), primary_reply(promoted.url.port)}));
  LoggedRedis store(url_of_sentinels({sentinel.url.port}));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(store.get("k"), "new") << "a call without an answer fails after 10 s";
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// The others: one is silent, one is down, one has no primary, and one has not seen the failover.
TEST(RedisPrimary, IsFoundByTheLastSentinel) {
  const ValkeyServer primary;
  const ValkeyServer replica({"--replicaof", "127.0.0.1", std::to_string(primary.url.port)});
  FakeRedisServer silent({{std::nullopt}});
  FakeRedisServer without_primary(sentinel_answers({no_primary_reply}));
  FakeRedisServer outdated(sentinel_answers({primary_reply(replica.url.port)}));
  FakeRedisServer with_primary(sentinel_answers({primary_reply(primary.url.port)}));
  const auto begin = std::chrono::steady_clock::now();
  LoggedRedis store(url_of_sentinels(
      {silent.url.port, free_port(), without_primary.url.port, outdated.url.port, with_primary.url.port}));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << "for the silent one";
  EXPECT_TRUE(store.put("k", "v"));
}

TEST(RedisPrimary, IsReportedAsMissingInOneLine) {
  const std::uint16_t away = free_port();
  const redis::Url none = url_of_sentinels({away, away});
  const std::string refusal = at(away) + ": it cannot be reached: Connection refused";
  EXPECT_EQ(opening_error_of(none), expected_error(none, "no sentinel answers: " + refusal + "; " + refusal));

  FakeRedisServer without_primary(sentinel_answers({no_primary_reply}));
  const redis::Url unknown = url_of_sentinels({away, without_primary.url.port});
  EXPECT_EQ(opening_error_of(unknown), expected_error(unknown, "no reachable sentinel has a primary of that name"));

  const ValkeyServer plain;
  const redis::Url no_sentinel = url_of_sentinels({plain.url.port});
  EXPECT_EQ(opening_error_of(no_sentinel),
            expected_error(no_sentinel, "no sentinel answers: " + at(plain.url.port) + ": it is not a sentinel (ERR)"));

  const ValkeyServer replica({"--replicaof", "127.0.0.1", std::to_string(plain.url.port)});
  FakeRedisServer outdated(sentinel_answers({primary_reply(replica.url.port)}));
  const redis::Url wrong = url_of_sentinels({outdated.url.port});
  EXPECT_EQ(opening_error_of(wrong), expected_error(wrong, "the primary, " + at(replica.url.port) +
                                                               ": it reports that it is a replica; try again when the "
                                                               "failover has ended"));

  FakeRedisServer behind(sentinel_answers({primary_reply(away)}));
  const redis::Url gone = url_of_sentinels({behind.url.port});
  EXPECT_EQ(opening_error_of(gone),
            expected_error(gone, "the primary, " + at(away) + ": it cannot be reached: Connection refused"));

  FakeRedisServer strange(sentinel_answers({"*2\r\n$3\r\na\nb\r\n$1\r\n1\r\n"}));
  const redis::Url garbled = url_of_sentinels({strange.url.port});
  EXPECT_EQ(opening_error_of(garbled), expected_error(garbled, "no sentinel answers: " + at(strange.url.port) +
                                                                   ": its reply violates the Redis protocol"));
}

// A sentinel without a password rejects clients that send one.
TEST(RedisPrimary, ReceivesThePasswordAndASentinelOnlyOnRequest) {
  const ValkeyServer primary({"--requirepass", "builder"});
  const std::string no = "-NOAUTH Authentication required.\r\n";
  FakeRedisServer open(sentinel_answers({primary_reply(primary.url.port)}));
  FakeRedisServer closed({{no}, {"+OK\r\n" + greeting_reply, primary_reply(primary.url.port)}});
  for (const std::uint16_t sentinel : {open.url.port, closed.url.port}) {
    redis::Url url = url_of_sentinels({sentinel});
    url.password = "builder";
    LoggedRedis store(url);
    EXPECT_TRUE(store.put("k", "v"));
  }
  EXPECT_EQ(closed.accepted(), 2);

  FakeRedisServer alone({{no}});
  const redis::Url without = url_of_sentinels({alone.url.port});
  EXPECT_EQ(opening_error_of(without), expected_error(without, "no sentinel answers: " + at(alone.url.port) +
                                                                   ": it requires a user and a password (NOAUTH)"));
}

}  // namespace
}  // namespace portail
