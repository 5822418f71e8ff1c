// Many requests wait for few connections without blocking a thread.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/waiting_request.hpp"

namespace portail {
namespace {

Task<std::string> read_twice(Context& context, KeyValueStore& store) {
  const auto outer = co_await store.open(context);
  const std::string_view key = "k";
  Value first;
  co_await outer->get(context, std::span(&key, 1), std::span(&first, 1));
  const auto inner = co_await store.open(context);
  Value second;
  co_await inner->get(context, std::span(&key, 1), std::span(&second, 1));
  const std::string sum = std::string(first.value_or("-")) + std::string(second.value_or("-"));
  co_await store.compare_and_swap(context, "other", std::nullopt, "written");
  co_return sum;
}

// Each request needs three of the four connections at the same time.
TEST(PostgresWaiting, NeverDeadlocks) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  StoreClient tool(*store);
  ASSERT_TRUE(tool.put("k", "v"));
  auto first = tool.open();
  auto second = tool.open();
  SingleThreadHost host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<std::string>> tasks;
  for (int i = 0; i < 50; ++i) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    tasks.push_back(read_twice(request->context, *store));
  }
  for (auto& task : tasks) task.start([](void*) {}, nullptr);
  EXPECT_FALSE(tasks.front().done()) << "it is suspended, not blocked";
  first.reset();
  second.reset();
  for (auto& task : tasks) {
    while (!task.done()) host.run_one();
    EXPECT_EQ(task.result(), "vv");
  }
  EXPECT_LE(std::ranges::count(connected_to(shared_server()), '\n'), 4);
}

void read_k(SingleThreadHost& host, WaitingRequest& request, Session& session, Value& value) {
  const std::string_view key = "k";
  auto task = session.get(request.context, std::span(&key, 1), std::span(&value, 1));
  task.start([](void*) {}, nullptr);
  while (!task.done()) host.run_one();
  EXPECT_TRUE(task.result());
}

Task<std::unique_ptr<Session>> opened(Context& context, KeyValueStore& store) {
  co_return co_await store.open(context);
}

// Slow clients of long answers, whose sessions were released.
TEST(PostgresWaiting, UsesTheConnectionOfAReleasedSession) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  SingleThreadHost host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Value> values(10);
  for (Value& value : values) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    auto task = opened(request->context, *store);
    task.start([](void*) {}, nullptr);
    while (!task.done()) host.run_one();
    auto session = task.result();
    ASSERT_TRUE(session);
    read_k(host, *request, **session, value);
    (*session)->release();
    sessions.push_back(std::move(*session));
  }
  EXPECT_EQ(values, std::vector<Value>(10, "v")) << "they stay";
  wait_until([&store] { return store->pool().busy == 0; });
  ASSERT_TRUE(StoreClient(*store).put("k", "later"));
  Value value;
  read_k(host, *requests.front(), *sessions.front(), value);
  EXPECT_EQ(value, "later");
}

Task<int> read_and_count(Context& context, KeyValueStore& store, int& finished) {
  const auto session = co_await store.open(context);
  const std::string_view key = "k";
  Value value;
  co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
  co_return finished++;
}

// One client has 40 requests that wait for the only connection for reads; then a request of another client arrives.
TEST(PostgresWaiting, IsInTurnsByClient) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  StoreClient tool(*store);
  ASSERT_TRUE(tool.put("k", "v"));
  SingleThreadHost host;
  const auto first = tool.open();
  auto second = tool.open();
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<Task<int>> tasks;
  int finished = 0;
  for (int i = 0; i < 41; ++i) {
    const std::uint64_t client = i < 40 ? 1 : 2;
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host, 60'000'000, client));
    tasks.push_back(read_and_count(request->context, *store, finished));
    tasks.back().start([](void*) {}, nullptr);
  }
  wait_until([&store] { return store->pool().waiting == 41; });
  second.reset();
  for (auto& task : tasks) {
    while (!task.done()) host.run_one();
  }
  EXPECT_EQ(finished, 41);
  const auto turn = tasks.back().result();
  ASSERT_TRUE(turn);
  EXPECT_EQ(*turn, 1) << "after one request of the other client";
}

// A request that keeps its session without reading.
TEST(PostgresWaiting, EndsTheTransactionOfAnIdleSession) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  SingleThreadHost host;
  std::vector<std::unique_ptr<WaitingRequest>> requests;
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 10; ++i) {
    auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
    auto task = opened(request->context, *store);
    task.start([](void*) {}, nullptr);
    while (!task.done()) host.run_one();
    auto session = task.result();
    ASSERT_TRUE(session);
    sessions.push_back(std::move(*session));
  }
  const std::string_view key = "k";
  Value value;
  auto late = sessions.front()->get(requests.front()->context, std::span(&key, 1), std::span(&value, 1));
  late.start([](void*) {}, nullptr);
  while (!late.done()) host.run_one();
  EXPECT_EQ(late.result(), std::unexpected(Failure::unavailable)) << "its state is gone, and no other one is shown";
}

// A database user with a connection limit, and a table of this user.
class FewConnections : public testing::TestWithParam<int> {
 protected:
  FewConnections() {
    open_or_fail(shared_server().url("?table=" + user));
    const std::string create = "CREATE ROLE " + user + " LOGIN CONNECTION LIMIT " + std::to_string(GetParam());
    EXPECT_EQ(shared_server().sql(create + "; GRANT ALL ON " + user + " TO " + user), "");
  }
  [[nodiscard]] postgres::Url url() const {
    return *postgres::parse_url("//" + user + "@127.0.0.1:" + std::to_string(shared_server().port) +
                                "/postgres?table=" + user);
  }
  // Returns the end of the message when the limit is reached.
  [[nodiscard]] std::string reason() const { return "FATAL:  too many connections for role \"" + user + '"'; }

  static inline int last = 0;
  const std::string user = "limited" + std::to_string(++last);
};

INSTANTIATE_TEST_SUITE_P(PostgresWaiting, FewConnections, testing::Values(1, 2, 3), testing::PrintToStringParamName());

TEST_P(FewConnections, FailARequestThatNeedsMoreImmediately) {
  LoggedPostgres store(url());
  ASSERT_TRUE(store.put("k", "v"));
  {
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < GetParam(); ++i) {
      auto session = store.open();
      ASSERT_TRUE(session);
      sessions.push_back(std::move(*session));
    }
    EXPECT_EQ(store.put("k", "2"), std::unexpected(Failure::unavailable));
    ASSERT_EQ(store.log.lines.size(), 1U);
    EXPECT_TRUE(store.log.lines[0].ends_with(reason())) << store.log.lines[0];
  }
  EXPECT_EQ(store.get("k"), "v");
  EXPECT_TRUE(store.put("k", "3"));
}

TEST_P(FewConnections, AreNamedWhenTheDeadlineExpires) {
  LoggedPostgres store(url());
  StoreClient tool(*store.store);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < GetParam(); ++i) {
    auto session = tool.open();
    ASSERT_TRUE(session);
    sessions.push_back(std::move(session));
  }
  store.context.deadline = {3'000'000};
  EXPECT_EQ(store.put("k", "2"), std::unexpected(Failure::cancelled)) << "other requests hold them";
  ASSERT_EQ(store.log.lines.size(), 1U);
  EXPECT_TRUE(store.log.lines[0].contains(": timed out waiting for a connection: connection to server at "))
      << store.log.lines[0];
  EXPECT_TRUE(store.log.lines[0].ends_with(reason())) << store.log.lines[0];
}

// Each request needs three connections at the same time. If it cannot get them it fails, and the others proceed.
TEST_P(FewConnections, ServeOneRequestAfterTheOther) {
  auto store = open_or_fail(url());
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  SingleThreadHost host;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<WaitingRequest>> requests;
    std::vector<Task<std::string>> tasks;
    for (int i = 0; i < 6; ++i) {
      auto& request = requests.emplace_back(std::make_unique<WaitingRequest>(host));
      tasks.push_back(read_twice(request->context, *store));
    }
    for (auto& task : tasks) task.start([](void*) {}, nullptr);
    for (auto& task : tasks) {
      while (!task.done()) host.run_one();
      const auto sum = task.result();
      // In the first round the store has not reached the limit yet.
      const bool may_fail = round == 0 || GetParam() < 3;
      EXPECT_TRUE(sum == "vv" || (may_fail && sum == std::unexpected(Failure::unavailable)));
    }
    EXPECT_EQ(StoreClient(*store).get("k"), "v") << "a request that needs one connection is served";
  }
}

TEST(PostgresWaiting, EndsWhenTheRequestIsCancelled) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  LoggedPostgres holding(url_of_a_new_table());
  SingleThreadHost host;
  StoreClient tool(*store);
  const auto first = tool.open();  // of a tool, whose transaction is never ended by the loop
  const auto second = tool.open();
  const auto third = tool.open();
  WaitingRequest request(host);
  auto task = opened(request.context, *store);
  task.start([](void*) {}, nullptr);
  EXPECT_FALSE(task.done());
  request.suspension.cancel();
  host.run_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result().error(), Failure::cancelled);
}

TEST(PostgresWaiting, IsCounted) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  SingleThreadHost host;
  StoreClient tool(*store);
  const auto first = tool.open();
  wait_until([&store] { return store->pool() == PoolCounts{.open = 1, .busy = 1, .max = 4, .waiting = 0}; });
  {
    const auto second = tool.open();
    WaitingRequest request(host);
    auto task = opened(request.context, *store);
    task.start([](void*) {}, nullptr);
    wait_until([&store] { return store->pool() == PoolCounts{.open = 2, .busy = 2, .max = 4, .waiting = 1}; });
    request.suspension.cancel();
    host.run_one();
    EXPECT_TRUE(task.done());
  }
  wait_until([&store] { return store->pool() == PoolCounts{.open = 2, .busy = 1, .max = 4, .waiting = 0}; });
}

TEST(PostgresWaiting, EndsAtTheDeadline) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  SingleThreadHost host;
  StoreClient tool(*store);
  const auto first = tool.open();
  const auto second = tool.open();
  WaitingRequest request(host, 100'000);
  auto task = opened(request.context, *store);
  task.start([](void*) {}, nullptr);
  while (!task.done()) host.run_one();
  EXPECT_EQ(task.result().error(), Failure::cancelled);
}

// A request that was destroyed while it waited is not resumed, and its connection serves others.
TEST(PostgresWaiting, MayBeAbandoned) {
  auto store = open_or_fail(url_of_a_new_table("&pool=4"));
  StoreClient client(*store);
  ASSERT_TRUE(client.put("k", "v"));
  for (int i = 0; i < 100; ++i) {
    SingleThreadHost host;  // one for each request, which may be destroyed after it was woken
    WaitingRequest request(host);
    auto task = read_twice(request.context, *store);
    task.start([](void*) {}, nullptr);
    // A call that completes before its request suspends wakes nothing.
    for (int wakes = i % 3; wakes > 0 && !task.done(); --wakes) host.run_one();
  }
  EXPECT_EQ(client.get("k"), "v");
}

TEST(PostgresWaiting, CompletesAnAbandonedWrite) {
  auto store = open_or_fail(url_of_a_new_table());
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
