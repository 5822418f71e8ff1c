// The order of a fair queue: flows take turns.
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "native/server/fair_queue.hpp"

namespace portail::server {
namespace {

using ::testing::ElementsAre;

class FairQueueTest : public testing::Test {
 protected:
  struct Item final : QueueItem {
    Item(const Flow& flow, std::string text) : QueueItem(flow), name(std::move(text)) {}
    std::string name;
  };

  static Flow flow_of(const std::string& address, int connection = 0) {
    return {.address = IpAddress::parse(address)->client_prefix(), .connection = connection};
  }
  Item& push(const Flow& flow, std::string name) {
    Item& item = items.emplace_back(flow, std::move(name));
    queue.push(item, now);
    return item;
  }
  std::string pop() {
    const auto ready = queue.pop();
    return ready ? static_cast<Item*>(ready->item)->name : "nothing";
  }
  std::vector<std::string> pop_all() {
    std::vector<std::string> names;
    while (!queue.is_empty()) names.push_back(pop());
    return names;
  }

  std::deque<Item> items;
  FairQueue queue;
  FairQueue::Time now{};
};

TEST_F(FairQueueTest, AnEmptyQueue) {
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(pop(), "nothing");
}

TEST_F(FairQueueTest, ItemsOfOneFlowKeepTheirOrder) {
  for (const char* name : {"a1", "a2", "a3"}) push(flow_of("192.0.2.1"), name);
  EXPECT_THAT(pop_all(), ElementsAre("a1", "a2", "a3"));
  EXPECT_EQ(pop(), "nothing");
}

TEST_F(FairQueueTest, FlowsTakeTurnsWhateverTheirLengths) {
  for (const char* name : {"a1", "a2", "a3", "a4"}) push(flow_of("192.0.2.1"), name);
  push(flow_of("192.0.2.2"), "b1");
  for (const char* name : {"c1", "c2"}) push(flow_of("192.0.2.3"), name);
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b1", "c1", "a2", "c2", "a3", "a4"));
}

TEST_F(FairQueueTest, ANewItemWaitsForOneItemOfEachOtherFlow) {
  for (const char* name : {"a1", "a2", "a3"}) push(flow_of("192.0.2.1"), name);
  EXPECT_EQ(pop(), "a1");
  push(flow_of("192.0.2.2"), "b1");
  EXPECT_EQ(pop(), "a2");
  EXPECT_EQ(pop(), "b1");
  push(flow_of("192.0.2.2"), "b2");
  EXPECT_THAT(pop_all(), ElementsAre("a3", "b2"));
}

TEST_F(FairQueueTest, AnItemCanBeQueuedAgain) {
  Item& item = push(flow_of("192.0.2.1"), "a1");
  push(flow_of("192.0.2.1"), "a2");
  EXPECT_EQ(pop(), "a1");
  queue.push(item, now);
  EXPECT_THAT(pop_all(), ElementsAre("a2", "a1"));
}

TEST_F(FairQueueTest, PushFrontPassesItemsOfItsOwnFlowOnly) {
  for (const char* name : {"a1", "a2"}) push(flow_of("192.0.2.1"), name);
  for (const char* name : {"b1", "b2"}) push(flow_of("192.0.2.2"), name);
  Item& ahead = items.emplace_back(flow_of("192.0.2.2"), "b ahead");
  queue.push_front(ahead, now);
  Item& alone = items.emplace_back(flow_of("192.0.2.3"), "c alone");
  queue.push_front(alone, now);
  push(flow_of("192.0.2.3"), "c1");
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b ahead", "c alone", "a2", "b1", "c1", "b2"));
}

TEST_F(FairQueueTest, AReadyItemHasItsQueueTimeAndWhetherItIsTheLast) {
  const auto begin = now;
  for (const char* name : {"a1", "a2", "a3"}) {
    now += std::chrono::seconds(1);
    push(flow_of("192.0.2.1"), name);
  }
  push(flow_of("192.0.2.2"), "b1");
  const auto expect_next = [&](std::chrono::seconds queued_at, bool is_last) {
    const auto ready = queue.pop();
    ASSERT_TRUE(ready);
    EXPECT_EQ(ready->queued_at - begin, queued_at);
    EXPECT_EQ(ready->is_last, is_last);
  };
  expect_next(std::chrono::seconds(1), false);
  expect_next(std::chrono::seconds(3), false);
  expect_next(std::chrono::seconds(2), false);
  expect_next(std::chrono::seconds(3), true);
}

TEST_F(FairQueueTest, AnIPv6Slash64NetworkIsOneFlow) {
  push(flow_of("2001:db8::1"), "a1");
  push(flow_of("2001:db8::2"), "a2");
  push(flow_of("2001:db8:0:1::1"), "b1");
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b1", "a2"));
}

TEST_F(FairQueueTest, EachConnectionOfAProxyIsAFlow) {
  push(flow_of("192.0.2.1", 7), "one");
  push(flow_of("192.0.2.1", 7), "one again");
  push(flow_of("192.0.2.1", 8), "other");
  EXPECT_THAT(pop_all(), ElementsAre("one", "other", "one again"));
}

}  // namespace
}  // namespace portail::server
