// Which server a URL with sentinels leads to. Sentinels are played here; tests/native/sentinel_test.py has real ones.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_import_lock.hpp"
#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/redis_client_of_a_test.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {
namespace {

const std::string answered_greeting = "+PONG\r\n";
const std::string knows_none = "*-1\r\n";

std::string names(std::uint16_t port) {
  const std::string text = std::to_string(port);
  return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// A sentinel that is asked as often as there are answers.
std::vector<FakeRedisServer::Answers> answering(const std::vector<std::string>& answers) {
  std::vector<FakeRedisServer::Answers> connections;
  for (const std::string& answer : answers) connections.push_back({answered_greeting, answer});
  return connections;
}

RedisUrl asking(const std::vector<std::uint16_t>& sentinels) {
  RedisUrl url;
  for (const std::uint16_t port : sentinels) url.sentinels.push_back({.host = "127.0.0.1", .port = port});
  url.primary = "portal";
  return url;
}

std::string refused(const RedisUrl& url, std::string_view why) {
  return url.name() + " cannot be used: " + std::string(why);
}

std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

TEST(RedisPrimary, IsWhomTheFirstSentinelNames) {
  const ValkeyServer primary;
  FakeRedisServer first(answering({names(primary.url.port), names(primary.url.port)}));
  FakeRedisServer second(answering({knows_none}));
  const RedisUrl url = asking({first.url.port, second.url.port});
  EXPECT_EQ(url.name(), "redis+sentinel://" + at(first.url.port) + ',' + at(second.url.port) + "/portal/0");
  LoggedRedis store(url);
  EXPECT_TRUE(store.put("k", "v"));
  EXPECT_EQ(primary.cli({"get", "k"}), "v\n");
  EXPECT_TRUE(RedisImportLock::acquire(url));
  EXPECT_EQ(second.taken(), 0);
}

TEST(RedisPrimary, IsAskedForAnewWhereTheOldOneHasBecomeAReplica) {
  ValkeyServer old;
  ValkeyServer promoted;
  // The second time it does not know yet; then the old one says itself that it is none.
  FakeRedisServer sentinel(answering({names(old.url.port), names(old.url.port), names(promoted.url.port)}));
  LoggedRedis store(asking({sentinel.url.port}));
  ASSERT_TRUE(store.put("k", "old"));
  ASSERT_EQ(old.cli({"replicaof", "127.0.0.1", std::to_string(free_port())}), "OK\n");
  EXPECT_EQ(store.put("k", "lost"), std::unexpected(Failure::unavailable));
  wait_until([&store] { return store.put("k", "new").has_value(); });
  EXPECT_EQ(promoted.cli({"get", "k"}), "new\n");
  EXPECT_EQ(old.cli({"get", "k"}), "old\n");
  EXPECT_EQ(sentinel.taken(), 3);
}

TEST(RedisPrimary, IsAskedForAnewWhereItHasGone) {
  ValkeyServer old;
  ValkeyServer promoted;
  FakeRedisServer sentinel(answering({names(old.url.port), names(old.url.port), names(promoted.url.port)}));
  LoggedRedis store(asking({sentinel.url.port}));
  ASSERT_TRUE(store.put("k", "old"));
  old.kill();
  EXPECT_EQ(store.put("k", "lost"), std::unexpected(Failure::unavailable));
  wait_until([&store] { return store.put("k", "new").has_value(); });
  EXPECT_EQ(promoted.cli({"get", "k"}), "new\n");
}

TEST(RedisPrimary, IsAskedForAnewWhereItSaysNothing) {
  const std::string is_primary = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
  FakeRedisServer frozen({{answered_greeting, is_primary, "*2\r\n$-1\r\n$-1\r\n$-1\r\n", std::nullopt}});
  const ValkeyServer promoted;
  ASSERT_EQ(promoted.cli({"set", "k", "new"}), "OK\n");
  FakeRedisServer sentinel(answering({names(frozen.url.port), names(promoted.url.port)}));
  LoggedRedis store(asking({sentinel.url.port}));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(store.get("k"), "new");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(9))
      << "the longest call is one of 10 seconds";
}

// One that says nothing, one that is away, one that knows none, and one that has not heard of the failover.
TEST(RedisPrimary, IsFoundByTheLastSentinelThatKnows) {
  const ValkeyServer primary;
  const ValkeyServer replica({"--replicaof", "127.0.0.1", std::to_string(primary.url.port)});
  FakeRedisServer silent({{std::nullopt}});
  FakeRedisServer unknowing(answering({knows_none}));
  FakeRedisServer outdated(answering({names(replica.url.port)}));
  FakeRedisServer knowing(answering({names(primary.url.port)}));
  LoggedRedis store(asking({silent.url.port, free_port(), unknowing.url.port, outdated.url.port, knowing.url.port}));
  EXPECT_TRUE(store.put("k", "v"));
}

TEST(RedisPrimary, IsMissedInOneLine) {
  const std::uint16_t away = free_port();
  const RedisUrl none = asking({away, away});
  const std::string refusal = at(away) + ": it cannot be reached: Connection refused";
  EXPECT_EQ(refusal_of(none), refused(none, "no sentinel answers: " + refusal + "; " + refusal));

  FakeRedisServer unknowing(answering({knows_none}));
  const RedisUrl unknown = asking({away, unknowing.url.port});
  EXPECT_EQ(refusal_of(unknown), refused(unknown, "no sentinel that answers knows a primary of that name"));

  const ValkeyServer plain;
  const RedisUrl no_sentinel = asking({plain.url.port});
  EXPECT_EQ(refusal_of(no_sentinel),
            refused(no_sentinel, "no sentinel answers: " + at(plain.url.port) + ": it is no sentinel (ERR)"));

  const ValkeyServer replica({"--replicaof", "127.0.0.1", std::to_string(plain.url.port)});
  FakeRedisServer outdated(answering({names(replica.url.port)}));
  const RedisUrl wrong = asking({outdated.url.port});
  EXPECT_EQ(refusal_of(wrong),
            refused(wrong, "the primary, " + at(replica.url.port) + ": it says that it is a replica"));

  FakeRedisServer behind(answering({names(away)}));
  const RedisUrl gone = asking({behind.url.port});
  EXPECT_EQ(refusal_of(gone), refused(gone, "the primary, " + at(away) + ": it cannot be reached: Connection refused"));

  FakeRedisServer strange(answering({"*2\r\n$3\r\na\nb\r\n$1\r\n1\r\n"}));
  const RedisUrl garbled = asking({strange.url.port});
  EXPECT_EQ(refusal_of(garbled), refused(garbled, "no sentinel answers: " + at(strange.url.port) +
                                                      ": it answers what the Redis protocol has no place for"));
}

// A sentinel that has none refuses whoever brings one.
TEST(RedisPrimary, IsToldThePasswordAndASentinelOnlyWhereItAsks) {
  const ValkeyServer primary({"--requirepass", "builder"});
  const std::string no = "-NOAUTH Authentication required.\r\n";
  FakeRedisServer open(answering({names(primary.url.port)}));
  FakeRedisServer closed({{no}, {"+OK\r\n" + answered_greeting, names(primary.url.port)}});
  for (const std::uint16_t sentinel : {open.url.port, closed.url.port}) {
    RedisUrl url = asking({sentinel});
    url.password = "builder";
    LoggedRedis store(url);
    EXPECT_TRUE(store.put("k", "v"));
  }
  EXPECT_EQ(closed.taken(), 2);

  FakeRedisServer alone({{no}});
  const RedisUrl without = asking({alone.url.port});
  EXPECT_EQ(refusal_of(without), refused(without, "no sentinel answers: " + at(alone.url.port) +
                                                      ": it wants a user and a password (NOAUTH)"));
}

}  // namespace
}  // namespace portail
