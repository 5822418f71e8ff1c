#include "native/stores/redis/redis_store.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "native/stores/redis/redis_import_lock.hpp"
#include "tests/stores/conformance.hpp"
#include "tests/stores/redis/valkey_server.hpp"

namespace portail {
namespace {

// The store is destroyed before the server.
struct OwnedRedisStore {
  ValkeyServer server;
  std::unique_ptr<redis::Store> store = open_or_fail(server.url);
};
struct TemporaryRedisStore : private OwnedRedisStore, public ForwardingStore {
  TemporaryRedisStore() : ForwardingStore(*store) {}
};

std::unique_ptr<KeyValueStore> make_redis_store() { return std::make_unique<TemporaryRedisStore>(); }

INSTANTIATE_TEST_SUITE_P(Redis, StoreConformance, testing::Values(make_redis_store),
                         [](const auto&) { return "store"; });

TEST(RedisStore, ClaimsAllButSnapshots) {
  const auto traits = make_redis_store()->traits();
  EXPECT_FALSE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_TRUE(traits.atomic_batches);
}

TEST(RedisStore, CountsTheBytesThatASessionKeeps) { expect_that_a_session_counts_its_copies(*make_redis_store()); }

// As Spin's Redis key-value backend, which executes GET, SET and DEL with the same key.
TEST(RedisStore, KeepsEachValueAsAPlainStringUnderItsKey) {
  ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  ASSERT_TRUE(client.write({{"liasse.L-2024", R"({"id":"L-2024"})"}, {"gone", "v"}, {"gone", std::nullopt}}));
  ASSERT_EQ(client.swap("configuration", std::nullopt, "é\n\"quoted\""), true);
  EXPECT_EQ(server.cli({"get", "liasse.L-2024"}), "{\"id\":\"L-2024\"}\n");
  EXPECT_EQ(server.cli({"--json", "get", "configuration"}), "\"é\\n\\\"quoted\\\"\"\n");
  EXPECT_EQ(server.cli({"strlen", "configuration"}), "11\n");
  EXPECT_EQ(server.cli({"type", "configuration"}), "string\n");
  EXPECT_EQ(server.cli({"ttl", "configuration"}), "-1\n");
  EXPECT_EQ(server.cli({"dbsize"}), "2\n");

  EXPECT_EQ(server.cli({"set", "tiers.T1", "from another program"}), "OK\n");
  EXPECT_EQ(client.get("tiers.T1"), "from another program");
  EXPECT_EQ(client.scan("tiers."), (std::vector<std::string>{"tiers.T1=from another program"}));
  EXPECT_EQ(client.swap("tiers.T1", "from another program", "ours"), true);
  EXPECT_EQ(server.cli({"get", "tiers.T1"}), "ours\n");
}

// A session sees several states, but each batch of reads sees one.
TEST(RedisStore, ShowsABatchOfWritesAtomicallyToABatchOfReads) {
  ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  ASSERT_TRUE(client.write({{"left", "0"}, {"right", "0"}}));
  std::atomic<bool> writing = true;
  std::jthread writer([&] {
    StoreClient mine(*store);
    for (int n = 1; n <= 200; ++n) {
      const std::string value = std::to_string(n);
      EXPECT_TRUE(mine.write({{"left", value}, {"right", value}}));
    }
    writing = false;
  });
  auto session = client.open();
  while (writing) {
    const auto values = client.views(*session, {"left", "right"});
    ASSERT_EQ(values[0], values[1]);
  }
  EXPECT_EQ(client.get("left"), "200");
}

TEST(RedisStore, EscapesThePatternOfAPrefix) {
  ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  ASSERT_TRUE(client.write(
      {{"a*1", "star"}, {"ab1", "b"}, {"a?1", "mark"}, {"[ab]1", "set"}, {"b1", "b"}, {"\\a1", "backslash"}}));
  EXPECT_EQ(client.scan("a*"), (std::vector<std::string>{"a*1=star"}));
  EXPECT_EQ(client.scan("a?"), (std::vector<std::string>{"a?1=mark"}));
  EXPECT_EQ(client.scan("[ab]"), (std::vector<std::string>{"[ab]1=set"}));
  EXPECT_EQ(client.scan("\\a"), (std::vector<std::string>{"\\a1=backslash"}));
}

TEST(RedisStore, ScansMoreThanOneReplyOfTheServer) {
  ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  std::vector<std::string> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back("k." + std::to_string(10'000 + i));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, key});
  ASSERT_TRUE(client.write(changes));
  const auto found = client.scan("k.");
  ASSERT_EQ(found.size(), 5000u);
  EXPECT_EQ(found.front(), "k.10000=k.10000");
  EXPECT_EQ(found.back(), "k.14999=k.14999");
  EXPECT_EQ(client.scan("k.", 3), (std::vector<std::string>{"k.10000=k.10000", "k.10001=k.10001", "k.10002=k.10002"}));
}

TEST(RedisStore, StaysInItsDatabase) {
  ValkeyServer server;
  redis::Url other = server.url;
  other.database = 3;
  auto first = open_or_fail(server.url);
  auto second = open_or_fail(other);
  ASSERT_TRUE(StoreClient(*first).put("k", "0"));
  ASSERT_TRUE(StoreClient(*second).put("k", "3"));
  EXPECT_EQ(StoreClient(*first).get("k"), "0");
  EXPECT_EQ(server.cli({"-n", "3", "get", "k"}), "3\n");
  other.database = 16;
  EXPECT_EQ(opening_error_of(other), other.name() + " cannot be used: it has no database of that number (ERR)");
}

TEST(RedisStore, Authenticates) {
  ValkeyServer server({"--requirepass", "pass/wörd", "--user", "bob", "on", ">builder", "~*", "+@all"});
  auto error = [&server](std::string user, std::string password) {
    redis::Url url = server.url;
    url.user = std::move(user);
    url.password = std::move(password);
    auto store = redis::Store::open(url);
    if (!store) return store.error();
    return std::string(StoreClient(**store).put("k", "v") ? "works" : "fails");
  };
  const std::string name = server.url.name();
  EXPECT_EQ(error("", "pass/wörd"), "works");
  EXPECT_EQ(error("default", "pass/wörd"), "works");
  EXPECT_EQ(error("bob", "builder"), "works");
  EXPECT_EQ(error("", ""), name + " cannot be used: it requires a user and a password (NOAUTH)");
  EXPECT_EQ(error("", "builder"), name + " cannot be used: it rejects this user and password (WRONGPASS)");
  EXPECT_EQ(error("eve", "builder"), name + " cannot be used: it rejects this user and password (WRONGPASS)");
}

// The list in docs/how-to/run-on-redis.md.
TEST(RedisStore, NeedsOnlyTheDocumentedCommands) {
  ValkeyServer server({"--user", "bob", "on", ">builder", "~*", "-@all", "+get", "+set", "+del", "+mget", "+multi",
                       "+exec", "+eval", "+pexpire", "+scan", "+ping", "+select"});
  redis::Url url = server.url;
  url.user = "bob";
  url.password = "builder";
  url.database = 1;
  auto store = open_or_fail(url);
  StoreClient client(*store);
  EXPECT_TRUE(client.write({{"k", "1"}, {"gone", std::nullopt}}));
  EXPECT_EQ(client.swap("k", "1", "2"), true);
  EXPECT_EQ(client.scan(""), (std::vector<std::string>{"k=2"}));
  EXPECT_TRUE(redis::ImportLock::acquire(url));
  EXPECT_TRUE(redis::ImportLock::acquire(url)) << "it was released";
}

TEST(RedisStore, ReportsAnUnreachableServer) {
  redis::Url url{.user = "bob", .password = "builder", .host = "127.0.0.1", .port = free_port()};
  EXPECT_EQ(opening_error_of(url), url.name() + " cannot be used: it cannot be reached: Connection refused");
  url.host = "no-such-host.invalid";
  const std::string error = opening_error_of(url);
  EXPECT_TRUE(error.starts_with(url.name() + " cannot be used: it cannot be reached: ")) << error;
  EXPECT_FALSE(error.contains("builder"));
}

}  // namespace
}  // namespace portail
