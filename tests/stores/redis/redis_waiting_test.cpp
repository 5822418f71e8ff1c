// How many requests wait for one connection, and none of them holds a thread.
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

#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/redis_client_of_a_test.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"
#include "tests/stores/waiting_request.hpp"

namespace portail {
namespace {

// It is opened, and says nothing more.
const std::vector<FakeRedisServer::Answers> silent = {{"+PONG\r\n", "*2\r\n$-1\r\n$-1\r\n$-1\r\n", std::nullopt}};

RedisUrl with_pool(RedisUrl url, unsigned pool) {
  url.pool = pool;
  return url;
}

Task<std::string> value_of(Context& context, KeyValueStore& store, std::string_view key) {
  const auto session = co_await store.open(context);
  Value value;
  co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
  co_return std::string(value.value_or("-"));
}

Result<std::string> awaited(OneThread& host, Task<std::string>& task) {
  while (!task.done()) host.run_one();
  return task.result();
}

TEST(RedisWaiting, IsOnOneConnectionForMany) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(StoreClient(*store).put("k" + std::to_string(i), std::to_string(i)));
  OneThread host;
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

// One client asks for 60 lists of 200 keys; then another comes.
TEST(RedisWaiting, IsInTurnsByClient) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  OneThread host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<int>> tasks;
  int finished = 0;
  server.suspend();
  for (int i = 0; i < 61; ++i) {
    const std::uint64_t client = i < 60 ? 1 : 2;
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host, 60'000'000, client));
    tasks.push_back(read_and_count(request->context, *store, i < 60 ? 200 : 1, finished));
    tasks.back().start([](void*) {}, nullptr);
  }
  // One of the first client's and the other's are on the way.
  wait_until([&store] { return store->pool().waiting == 59; });
  server.resume();
  for (auto& task : tasks) {
    while (!task.done()) host.run_one();
  }
  EXPECT_EQ(finished, 61);
  EXPECT_EQ(tasks.back().result(), 1) << "behind one of the first client's";
}

TEST(RedisWaiting, MakesMoreConnectionsWhereManyWait) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 2));
  OneThread host;
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

TEST(RedisWaiting, EndsWhenTheRequestIsGivenUp) {
  const FakeRedisServer server(silent);
  auto store = open_or_fail(server.url);
  OneThread host;
  WaitingRequest request(host);
  auto task = value_of(request.context, *store, "k");
  task.start([](void*) {}, nullptr);
  EXPECT_FALSE(task.done());
  request.place.give_up();
  host.run_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result().error(), Failure::cancelled);
}

// The connection owes a reply, and is given no other call until that has come.
TEST(RedisWaiting, EndsAtTheDeadline) {
  const FakeRedisServer server(silent);
  auto store = open_or_fail(with_pool(server.url, 1));
  OneThread host;
  WaitingRequest first(host, 100'000);
  auto unanswered = value_of(first.context, *store, "k");
  unanswered.start([](void*) {}, nullptr);
  wait_until([&store] { return store->pool() == PoolCounts{.open = 1, .busy = 1, .max = 1, .waiting = 0}; });
  EXPECT_EQ(awaited(host, unanswered).error(), Failure::cancelled);
  WaitingRequest second(host, 100'000);
  auto unsent = value_of(second.context, *store, "k");
  unsent.start([](void*) {}, nullptr);
  wait_until([&store] { return store->pool() == PoolCounts{.open = 1, .busy = 1, .max = 1, .waiting = 1}; });
  EXPECT_EQ(awaited(host, unsent).error(), Failure::cancelled);
}

TEST(RedisWaiting, GivesNobodyTheReplyToACallThatWasEnded) {
  const ValkeyServer server;
  auto store = open_or_fail(with_pool(server.url, 1));
  ASSERT_TRUE(StoreClient(*store).write({{"late", "late"}, {"k", "v"}}));
  server.suspend();
  OneThread host;
  WaitingRequest ended(host, 50'000);
  auto late = value_of(ended.context, *store, "late");
  late.start([](void*) {}, nullptr);
  EXPECT_EQ(awaited(host, late).error(), Failure::cancelled);
  server.resume();
  EXPECT_EQ(StoreClient(*store).get("k"), "v");
  EXPECT_EQ(store->pool().open, 1U) << "on the same connection";
}

// What was destroyed while it waited is woken by nobody, and its connection serves others.
TEST(RedisWaiting, MayBeAbandoned) {
  const ValkeyServer server;
  auto store = open_or_fail(server.url);
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  for (int i = 0; i < 100; ++i) {
    OneThread host;
    WaitingRequest request(host);
    auto task = value_of(request.context, *store, "k");
    task.start([](void*) {}, nullptr);
    if (i % 2 != 0 && !task.done()) host.run_one();
  }
  EXPECT_EQ(client.get("k"), "v");
}

TEST(RedisWaiting, CompletesAWriteThatNobodyWaitsFor) {
  const ValkeyServer server;
  auto store = open_or_fail(server.url);
  OneThread host;
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
