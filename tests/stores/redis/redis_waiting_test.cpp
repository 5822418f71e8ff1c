// Many requests wait for one connection without blocking a thread.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/edition.hpp"
#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"
#include "tests/stores/waiting_request.hpp"

namespace portail {
namespace {

// A server that opens a store and then stays silent.
const std::vector<FakeRedisServer::Answers> silent = {{"+PONG\r\n", "*2\r\n$-1\r\n$-1\r\n$-1\r\n", std::nullopt}};

redis::Url with_pool(redis::Url url, unsigned pool) {
  url.pool = pool;
  return url;
}

Task<std::string> value_of(Context& context, KeyValueStore& store, std::string_view key) {
  const auto session = co_await store.open(context);
  Value value;
  co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
  co_return std::string(value.value_or("-"));
}

Result<std::string> awaited(SingleThreadHost& host, Task<std::string>& task) {
  while (!task.done()) host.run_one();
  return task.result();
}

TEST(RedisWaiting, SharesOneConnection) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(StoreClient(*store).put("k" + std::to_string(i), std::to_string(i)));
  SingleThreadHost host;
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.push_back("k" + std::to_string(i));
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<std::string>> tasks;
  server.suspend();
  for (const std::string& key : keys) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    tasks.push_back(value_of(request->context, *store, key));
  }
  for (auto& task : tasks) task.start([](void*) {}, nullptr);
  EXPECT_FALSE(tasks.front().done()) << "it is suspended, not blocked";
  server.resume();
  for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(awaited(host, tasks[i]), std::to_string(i));
  wait_until([&store] { return store->pool() == PoolCounts{.open = 1, .busy = 0, .max = 1, .waiting = 0}; });
}

Task<int> read_and_count(Context& context, KeyValueStore& store, std::size_t count, int& finished) {
  const auto session = co_await store.open(context);
  const std::vector<std::string_view> keys(count, "k");
  std::vector<Value> values(count);
  co_await session->get(context, keys, values);
  co_return finished++;
}

// Concurrent reads of several clients from a store with one connection.
class Reads {
 public:
  explicit Reads(KeyValueStore& store) : store_(store) {}

  void start(std::uint64_t client, std::size_t keys) {
    auto& request = requests_.emplace_back(std::make_unique<WaitingRequest>(host_, 60'000'000, client));
    tasks_.push_back(read_and_count(request->context, store_, keys, finished_));
    tasks_.back().start([](void*) {}, nullptr);
  }
  // Waits for all; returns how many have finished.
  int finish() {
    for (auto& task : tasks_) {
      while (!task.done()) host_.run_one();
    }
    return finished_;
  }
  // Returns how many finished before the read that was started last.
  Result<int> finished_before_last() { return tasks_.back().result(); }

 private:
  KeyValueStore& store_;
  SingleThreadHost host_;
  std::vector<std::unique_ptr<WaitingRequest>> requests_;
  std::vector<Task<int>> tasks_;
  int finished_ = 0;
};

// Sixteen concurrent requests read the edition three times: two begin, and the third serves all that came later.
TEST(RedisWaiting, SharesTheReadingOfTheEdition) {
  const ValkeyServer server;
  auto store = open_or_fail(server.url);
  EditionStore editions(*store);
  for (const int requests : {1, 16}) {
    ASSERT_EQ(server.cli({"config", "resetstat"}), "OK\n");
    Reads reads(editions);
    server.suspend();
    for (int i = 0; i < requests; ++i) reads.start(1, 0);
    server.resume();
    EXPECT_EQ(reads.finish(), requests);
    const std::string calls = "cmdstat_mget:calls=" + std::to_string(requests == 1 ? 1 : 3) + ",";
    EXPECT_TRUE(server.cli({"info", "commandstats"}).contains(calls)) << calls;
  }
}

// One client reads 60 lists of 200 keys; then another client reads.
TEST(RedisWaiting, IsInTurnsByClient) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  Reads reads(*store);
  server.suspend();
  for (int i = 0; i < 60; ++i) reads.start(1, 200);
  reads.start(2, 1);
  // One call of the first client and the call of the second are in flight.
  wait_until([&store] { return store->pool().waiting == 59; });
  server.resume();
  EXPECT_EQ(reads.finish(), 61);
  EXPECT_EQ(reads.finished_before_last(), 1) << "behind one of the first client's";
}

TEST(RedisWaiting, SendsAtMost256KeysOfAClientToAConnection) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  Reads reads(*store);
  server.suspend();
  for (const std::size_t keys : {100U, 156U, 1U}) reads.start(1, keys);
  wait_until([&store] { return store->pool().waiting == 1; });
  server.resume();
  EXPECT_EQ(reads.finish(), 3);
}

// Sends so many calls while the server does not respond; returns the number of open connections after they have ended.
std::size_t connections_after(unsigned calls, const ValkeyServer& server, redis::Store& store) {
  SingleThreadHost host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<std::string>> tasks;
  server.suspend();
  for (unsigned i = 0; i < calls; ++i) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    tasks.push_back(value_of(request->context, store, "k"));
    tasks.back().start([](void*) {}, nullptr);
  }
  wait_until([&store] { return store.pool().busy > 0; });
  server.resume();
  for (auto& task : tasks) EXPECT_EQ(awaited(host, task), "-");
  wait_until([&store] { return store.pool().busy == 0; });
  return store.pool().open;
}

TEST(RedisWaiting, OpensAnotherConnectionForTheNinthCall) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 2));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(connections_after(8, server, *store), 1U);
  // On a busy machine, the calls may be sent one after the other; and a connection may be opened after the calls.
  wait_until([&] { return connections_after(9, server, *store) == 2; });
}

// Each rejected attempt to open another connection delays the next attempt, by at most 1 s.
TEST(RedisWaiting, WaitsForTheNextAttemptIfTheServerRespondedAfterTheLastOne) {
  ValkeyServer server;
  ASSERT_EQ(server.cli({"config", "set", "maxclients", "1"}), "OK\n");
  auto store = open_or_fail(with_pool(server.url, 2));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  do {
    EXPECT_EQ(connections_after(9, server, *store), 1U);
  } while (std::chrono::steady_clock::now() < end);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(StoreClient(*store).get("k"), std::nullopt);
  server.kill();
  server.start();
  EXPECT_EQ(StoreClient(*store).get("k"), std::nullopt);
}

TEST(RedisWaiting, OpensMoreConnectionsUnderLoad) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 2));
  SingleThreadHost host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<std::string>> tasks;
  server.suspend();
  for (int i = 0; i < 200; ++i) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    tasks.push_back(value_of(request->context, *store, "k"));
  }
  for (auto& task : tasks) task.start([](void*) {}, nullptr);
  // The first connection has 128 calls in flight, and the second one is being opened.
  wait_until([&store] { return store->pool().waiting == 72; });
  server.resume();
  for (auto& task : tasks) EXPECT_EQ(awaited(host, task), "-");
  wait_until([&store] { return store->pool() == PoolCounts{.open = 2, .busy = 0, .max = 2, .waiting = 0}; });
}

TEST(RedisWaiting, EndsWhenTheRequestIsCancelled) {
  const FakeRedisServer server(silent);
  auto store = open_or_fail(server.url);
  SingleThreadHost host;
  WaitingRequest request(host);
  auto task = value_of(request.context, *store, "k");
  task.start([](void*) {}, nullptr);
  EXPECT_FALSE(task.done());
  request.suspension.cancel();
  host.run_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result().error(), Failure::cancelled);
}

// A connection with an outstanding reply takes no other call until the reply arrives.
TEST(RedisWaiting, EndsAtTheDeadline) {
  const FakeRedisServer server(silent);
  auto store = open_or_fail(with_pool(server.url, 1));
  const int received = server.received();
  SingleThreadHost host;
  const auto expire_a_call = [&] {
    WaitingRequest request(host, 100'000);
    auto task = value_of(request.context, *store, "k");
    task.start([](void*) {}, nullptr);
    EXPECT_EQ(awaited(host, task).error(), Failure::cancelled);
  };
  // On a busy machine, a call may expire before it is sent.
  wait_until([&] {
    expire_a_call();
    return store->pool() == PoolCounts{.open = 1, .busy = 1, .max = 1, .waiting = 0};
  });
  wait_until([&] { return server.received() == received + 1; });
  expire_a_call();
  // It has left the queue, so it is never sent.
  wait_until([&] { return store->pool() == PoolCounts{.open = 1, .busy = 1, .max = 1, .waiting = 0}; });
  EXPECT_EQ(server.received(), received + 1);
}

// Also behind a call on the same connection that has more time.
TEST(RedisWaiting, EndsAtTheDeadlineOfEachCall) {
  const FakeRedisServer server(silent);
  auto store = open_or_fail(with_pool(server.url, 1));
  SingleThreadHost host;
  WaitingRequest first(host);
  auto first_call = value_of(first.context, *store, "k");
  first_call.start([](void*) {}, nullptr);
  WaitingRequest second(host, 1'000'000);
  auto second_call = value_of(second.context, *store, "k");
  second_call.start([](void*) {}, nullptr);
  EXPECT_EQ(awaited(host, second_call).error(), Failure::cancelled);
  EXPECT_FALSE(first_call.done());
}

TEST(RedisWaiting, DiscardsTheReplyToACancelledCall) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  ASSERT_TRUE(StoreClient(*store).write({{"late", "late"}, {"k", "v"}}));
  server.suspend();
  SingleThreadHost host;
  // On a busy machine, a call may expire before it is sent.
  wait_until([&] {
    WaitingRequest expired(host, 50'000);
    auto late = value_of(expired.context, *store, "late");
    late.start([](void*) {}, nullptr);
    EXPECT_EQ(awaited(host, late).error(), Failure::cancelled);
    return store->pool().busy == 1;
  });
  server.resume();
  EXPECT_EQ(StoreClient(*store).get("k"), "v");
  EXPECT_EQ(store->pool().open, 1U) << "on the same connection";
}

// A request that was destroyed while it waited is not resumed, and its connection serves others.
TEST(RedisWaiting, MayBeAbandoned) {
  const ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  for (int i = 0; i < 100; ++i) {
    SingleThreadHost host;
    WaitingRequest request(host);
    auto task = value_of(request.context, *store, "k");
    task.start([](void*) {}, nullptr);
    if (i % 2 != 0 && !task.done()) host.run_one();
  }
  EXPECT_EQ(client.get("k"), "v");
}

TEST(RedisWaiting, CompletesAnAbandonedWrite) {
  const ValkeyServer server;
  auto store = open_or_fail(server.url);
  SingleThreadHost host;
  {
    WaitingRequest request(host);
    auto task = write_k(request.context, *store);
    task.start([](void*) {}, nullptr);
  }
  StoreClient client(*store);
  wait_until([&client] { return client.get("k") == "written"; });
}

}  // namespace
}  // namespace portail
