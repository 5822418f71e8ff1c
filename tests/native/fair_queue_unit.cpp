// Who is next: every claimant in turn.
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "native/server/fair_queue.hpp"

namespace portail {
namespace {

using ::testing::ElementsAre;

class FairQueueTest : public testing::Test {
 protected:
  struct Thing final : Queued {
    Thing(const Claimant& claimant, std::string text) : Queued(claimant), name(std::move(text)) {}
    std::string name;
  };

  static Claimant at(const std::string& address, int connection = 0) {
    return {.address = IpAddress::parse(address)->customer(), .connection = connection};
  }
  Thing& push(const Claimant& claimant, std::string name) {
    Thing& thing = things.emplace_back(claimant, std::move(name));
    queue.push(thing, now);
    return thing;
  }
  std::string pop() {
    const auto next = queue.pop();
    return next ? static_cast<Thing*>(next->what)->name : "nothing";
  }
  std::vector<std::string> pop_all() {
    std::vector<std::string> names;
    while (!queue.is_empty()) names.push_back(pop());
    return names;
  }

  std::deque<Thing> things;
  FairQueue queue;
  FairQueue::Time now{};
};

TEST_F(FairQueueTest, NothingWaits) {
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(pop(), "nothing");
}

TEST_F(FairQueueTest, OneClaimantsThingsKeepTheirOrder) {
  for (const char* name : {"a1", "a2", "a3"}) push(at("192.0.2.1"), name);
  EXPECT_THAT(pop_all(), ElementsAre("a1", "a2", "a3"));
  EXPECT_EQ(pop(), "nothing");
}

TEST_F(FairQueueTest, ClaimantsTakeTurnsWhateverEachHasWaiting) {
  for (const char* name : {"a1", "a2", "a3", "a4"}) push(at("192.0.2.1"), name);
  push(at("192.0.2.2"), "b1");
  for (const char* name : {"c1", "c2"}) push(at("192.0.2.3"), name);
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b1", "c1", "a2", "c2", "a3", "a4"));
}

TEST_F(FairQueueTest, WhoComesWaitsForOneThingOfEachOther) {
  for (const char* name : {"a1", "a2", "a3"}) push(at("192.0.2.1"), name);
  EXPECT_EQ(pop(), "a1");
  push(at("192.0.2.2"), "b1");
  EXPECT_EQ(pop(), "a2");
  EXPECT_EQ(pop(), "b1");
  push(at("192.0.2.2"), "b2");
  EXPECT_THAT(pop_all(), ElementsAre("a3", "b2"));
}

TEST_F(FairQueueTest, AThingComesAgain) {
  Thing& thing = push(at("192.0.2.1"), "a1");
  push(at("192.0.2.1"), "a2");
  EXPECT_EQ(pop(), "a1");
  queue.push(thing, now);
  EXPECT_THAT(pop_all(), ElementsAre("a2", "a1"));
}

TEST_F(FairQueueTest, WhatGoesAheadPassesItsOwnClaimantsThingsOnly) {
  for (const char* name : {"a1", "a2"}) push(at("192.0.2.1"), name);
  for (const char* name : {"b1", "b2"}) push(at("192.0.2.2"), name);
  Thing& ahead = things.emplace_back(at("192.0.2.2"), "b ahead");
  queue.push_ahead(ahead, now);
  Thing& alone = things.emplace_back(at("192.0.2.3"), "c alone");
  queue.push_ahead(alone, now);
  push(at("192.0.2.3"), "c1");
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b ahead", "c alone", "a2", "b1", "c1", "b2"));
}

TEST_F(FairQueueTest, ATurnSaysSinceWhenItsThingWaitedAndWhetherItIsTheLast) {
  const auto begin = now;
  for (const char* name : {"a1", "a2", "a3"}) {
    now += std::chrono::seconds(1);
    push(at("192.0.2.1"), name);
  }
  push(at("192.0.2.2"), "b1");
  const auto expect_next = [&](std::chrono::seconds queued_at, bool is_last) {
    const auto next = queue.pop();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->queued_at - begin, queued_at);
    EXPECT_EQ(next->is_last, is_last);
  };
  expect_next(std::chrono::seconds(1), false);
  expect_next(std::chrono::seconds(3), false);
  expect_next(std::chrono::seconds(2), false);
  expect_next(std::chrono::seconds(3), true);
}

TEST_F(FairQueueTest, AnIPv6NetworkOf64BitsIsOneClaimant) {
  push(at("2001:db8::1"), "a1");
  push(at("2001:db8::2"), "a2");
  push(at("2001:db8:0:1::1"), "b1");
  EXPECT_THAT(pop_all(), ElementsAre("a1", "b1", "a2"));
}

TEST_F(FairQueueTest, ConnectionsOfAProxyCountEachByItself) {
  push(at("192.0.2.1", 7), "one");
  push(at("192.0.2.1", 7), "one again");
  push(at("192.0.2.1", 8), "other");
  EXPECT_THAT(pop_all(), ElementsAre("one", "other", "one again"));
}

}  // namespace
}  // namespace portail
