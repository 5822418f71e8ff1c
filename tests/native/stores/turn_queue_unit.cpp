// The order in which calls of several clients get a connection.
#include <string>

#include <gtest/gtest.h>

#include "native/stores/engine/turn_queue.hpp"

namespace portail {
namespace {

using Calls = engine::TurnQueue<std::string>;

std::string popped(Calls& calls) {
  std::string order;
  while (!calls.empty()) order += calls.pop() + ' ';
  return order;
}

TEST(TurnQueueTest, KeepsTheOrderOfOneClient) {
  Calls calls;
  for (const char* call : {"a1", "a2", "a3"}) calls.push(1, call);
  EXPECT_EQ(popped(calls), "a1 a2 a3 ");
}

TEST(TurnQueueTest, ServesOneCallOfEachClientInARound) {
  Calls calls;
  for (const char* call : {"a1", "a2", "a3"}) calls.push(1, call);
  for (const char* call : {"b1", "b2"}) calls.push(2, call);
  calls.push(3, "c1");
  EXPECT_EQ(popped(calls), "a1 b1 c1 a2 b2 a3 ");
}

TEST(TurnQueueTest, ACallOfANewClientIsBehindOneOfEachOther) {
  Calls calls;
  for (int i = 1; i <= 480; ++i) calls.push(1, "a" + std::to_string(i));
  EXPECT_EQ(calls.pop(), "a1");
  calls.push(2, "b1");
  EXPECT_EQ(calls.pop(), "b1");
  EXPECT_EQ(calls.pop(), "a2");
}

// A client that queues its next call immediately is not always first.
TEST(TurnQueueTest, AClientThatReturnsWaitsForTheNextRound) {
  Calls calls;
  for (const char* call : {"a1", "a2", "a3"}) calls.push(1, call);
  calls.push(2, "b1");
  std::string order;
  for (int i = 2; i <= 4; ++i) {
    order += calls.pop() + ' ';
    order += calls.pop() + ' ';
    calls.push(2, "b" + std::to_string(i));
  }
  EXPECT_EQ(order, "a1 b1 a2 b2 a3 b3 ");
  EXPECT_EQ(popped(calls), "b4 ");
}

TEST(TurnQueueTest, ACallThatLostItsConnectionIsFirst) {
  Calls calls;
  calls.push(1, "a1");
  calls.push(2, "b1");
  const std::string lost = calls.pop();
  calls.push_front(1, lost);
  EXPECT_EQ(popped(calls), "a1 b1 ");
}

TEST(TurnQueueTest, PopsTheFirstOrTheLastMatch) {
  Calls calls;
  for (const char* call : {"a1", "x1", "x2", "a2"}) calls.push(1, call);
  const auto is_x = [](const std::string& call) { return call.starts_with('x'); };
  EXPECT_EQ(calls.pop_if(is_x), "x1");
  EXPECT_TRUE(calls.contains(is_x));
  EXPECT_EQ(calls.pop_last_if(is_x), "x2");
  EXPECT_FALSE(calls.contains(is_x));
  EXPECT_EQ(calls.pop_if(is_x), std::nullopt);
  EXPECT_EQ(calls.pop_last_if(is_x), std::nullopt);
  calls.erase_if([](const std::string& call) { return call == "a1"; });
  EXPECT_EQ(calls.size(), 1U);
  std::string cleared;
  calls.clear([&cleared](const std::string& call) { cleared += call; });
  EXPECT_EQ(cleared, "a2");
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace portail
