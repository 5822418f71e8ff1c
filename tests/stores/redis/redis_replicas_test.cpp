// Writes that wait for replicas.
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"
#include "tests/stores/waiting_request.hpp"

namespace portail {
namespace {

// A primary and its replica.
struct Pair {
  Pair() {
    LoggedRedis store(url(1));
    // The first write may be part of the replica's initial snapshot; the second is replicated.
    for (const std::string value : {"first", "second"}) {
      wait_until([&] { return store.put("followed", value).has_value(); });
    }
  }
  redis::Url url(unsigned replicas) {
    redis::Url url = primary.url;
    url.replicas = replicas;
    return url;
  }

  ValkeyServer primary{{"--repl-diskless-sync-delay", "0"}};
  ValkeyServer replica{{"--replicaof", "127.0.0.1", std::to_string(primary.url.port)}};
};

TEST(RedisReplicas, HaveTheWrittenValues) {
  Pair pair;
  LoggedRedis store(pair.url(1));
  for (int i = 0; i < 50; ++i) {
    const std::string value = std::to_string(i);
    ASSERT_TRUE(store.put("k", value));
    ASSERT_EQ(pair.replica.cli({"get", "k"}), value + "\n");
  }
  EXPECT_EQ(store.swap("k", "49", "swapped"), true);
  EXPECT_EQ(pair.replica.cli({"get", "k"}), "swapped\n");
  EXPECT_EQ(store.swap("k", "49", "no"), false);
}

// The write is not undone: its caller must read again.
TEST(RedisReplicas, FailAWriteIfTheyAreTooFew) {
  Pair pair;
  LoggedRedis store(pair.url(2));
  EXPECT_EQ(store.put("k", "v"), std::unexpected(Failure::unavailable));
  ASSERT_EQ(store.log.lines.size(), 1U);
  EXPECT_TRUE(store.log.lines.front().ends_with(" of 2 replicas acknowledged it in time: it may still be lost"))
      << store.log.lines.front();
  EXPECT_EQ(store.get("k"), "v");
}

// Returns the timeout of the WAIT of a write that has so many microseconds.
int replica_timeout(std::int64_t left) {
  FakeRedisServer server({{"+PONG\r\n", "*2\r\n$-1\r\n$-1\r\n$-1\r\n", "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n:1\r\n"}});
  redis::Url url = server.url;
  url.replicas = 1;
  {
    LoggedRedis store(url);
    store.context.deadline = {left};
    static_cast<void>(store.put("k", "v"));  // on a busy machine, the time may be over before the reply
  }
  const std::string requests = server.requests();
  const std::string wait = "WAIT\r\n$1\r\n1\r\n$4\r\n";
  const std::size_t at = requests.find(wait);
  return at == std::string::npos ? 0 : std::stoi(requests.substr(at + wait.size(), 4));
}

TEST(RedisReplicas, AreWaitedFor2SecondsOrNineTenthsOfTheRequestsTime) {
  EXPECT_EQ(replica_timeout(60'000'000), 2000);
  int timeout = 0;
  for (int attempt = 0; attempt < 1000 && timeout < 1750; ++attempt) {  // some time passes before a write is sent
    timeout = replica_timeout(2'000'000);
    ASSERT_LE(timeout, 1800);
  }
  EXPECT_GE(timeout, 1750);
}

// The timeout of WAIT is in milliseconds, and 0 is none. A write that is sent less than a millisecond before its
// deadline waits for one millisecond.
TEST(RedisReplicas, AreWaitedForAMillisecondAtLeast) {
  std::string requests;
  for (int attempt = 0; attempt < 1000 && !requests.contains("WAIT"); ++attempt) {  // each deadline may expire unsent
    FakeRedisServer server({{"+PONG\r\n", "*2\r\n$-1\r\n$-1\r\n$-1\r\n", std::nullopt}});
    redis::Url url = server.url;
    url.replicas = 1;
    {
      LoggedRedis store(url);
      store.context.deadline = {900};
      EXPECT_EQ(store.put("k", "v"), std::unexpected(Failure::cancelled));
    }
    requests = server.requests();
  }
  EXPECT_TRUE(requests.ends_with("*3\r\n$4\r\nWAIT\r\n$1\r\n1\r\n$1\r\n1\r\n")) << requests;
}

TEST(RedisReplicas, DoNotDelayReaders) {
  Pair pair;
  redis::Url url = pair.url(2);
  url.pool = 2;
  auto store = open_or_fail(url);
  StoreClient reader(*store);
  SingleThreadHost host;
  const PoolCounts one_write_waits{.open = 2, .busy = 1, .max = 2, .waiting = 1};
  bool is_first_write_pending = false;
  // A write waits for its replicas for at most 2 s: on a busy machine, it may end before the reads.
  for (int attempt = 0; attempt < 10 && !is_first_write_pending; ++attempt) {
    WaitingRequest first(host);
    WaitingRequest second(host);
    auto waiting = write_k(first.context, *store);
    auto behind = write_k(second.context, *store);
    waiting.start([](void*) {}, nullptr);
    behind.start([](void*) {}, nullptr);
    wait_until([&] { return store->pool() == one_write_waits || host.has_woken(); });
    for (int i = 0; i < 20; ++i) EXPECT_EQ(reader.get("k"), "written");
    is_first_write_pending = store->pool().waiting == 1 && !host.has_woken();
    while (!waiting.done() || !behind.done()) host.run_one();
  }
  EXPECT_TRUE(is_first_write_pending) << "the reads waited for the first write";
}

}  // namespace
}  // namespace portail
