// Events of sockets and of threads: each goes to one worker, in turns.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/socket.h>

#include "native/server/event_poll.hpp"

namespace portail {
namespace {

using ::testing::ElementsAre;

// Both ends of a connection, and what the poll knows it by.
struct Pair final : Queued {
  Pair(const std::string& address, std::string text)
      : Queued({.address = IpAddress::parse(address)->customer()}), name(std::move(text)) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
    near = Descriptor(ends[0]);
    far = Descriptor(ends[1]);
  }
  void say() const { ASSERT_EQ(send(far.number(), "x", 1, 0), 1); }
  void hear() const {
    char byte = 0;
    ASSERT_EQ(recv(near.number(), &byte, 1, 0), 1);
  }

  std::string name;
  Descriptor near{-1};
  Descriptor far{-1};
};

class EventPollTest : public testing::Test {
 protected:
  Pair& add(const std::string& address, std::string name) {
    Pair& pair = pairs.emplace_back(address, std::move(name));
    EXPECT_TRUE(poll.add(pair.near.number(), pair));
    return pair;
  }
  // The next event that is no tick.
  Pair* next() {
    while (true) {
      const EventPoll::Event event = poll.wait();
      if (std::holds_alternative<EventPoll::End>(event)) return nullptr;
      if (const Turn* turn = std::get_if<Turn>(&event)) return static_cast<Pair*>(turn->what);
      poll.acknowledge_tick();
    }
  }

  EventPoll poll{std::chrono::milliseconds(250)};
  std::deque<Pair> pairs;
};

TEST_F(EventPollTest, WhatIsReadyIsReportedInTurns) {
  for (const char* name : {"a1", "a2", "a3"}) add("192.0.2.1", name).say();
  add("192.0.2.2", "b1").say();
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) names.push_back(next()->name);
  EXPECT_THAT(names, ElementsAre("a1", "b1", "a2", "a3"));
}

TEST_F(EventPollTest, MoreThanOneLookTellsOfIsGatheredBeforeAnybodyHasATurn) {
  for (int i = 0; i < 200; ++i) add("192.0.2.1", "a").say();
  add("192.0.2.2", "b").say();
  EXPECT_EQ(next()->name, "a");
  EXPECT_EQ(next()->name, "b");
  for (int i = 0; i < 199; ++i) EXPECT_EQ(next()->name, "a");
}

TEST_F(EventPollTest, AConnectionThatHasEndedMakesRoomFirst) {
  for (const char* name : {"a1", "a2"}) add("192.0.2.1", name).say();
  add("192.0.2.2", "b1").say();
  Pair& ended = add("192.0.2.1", "ended");
  ASSERT_EQ(shutdown(ended.near.number(), SHUT_RDWR), 0);
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) names.push_back(next()->name);
  EXPECT_THAT(names, ElementsAre("ended", "b1", "a1", "a2"));
}

TEST_F(EventPollTest, WhatIsReportedNeedsNoSocket) {
  Pair& pair = add("192.0.2.1", "a");
  pair.say();
  EXPECT_EQ(next(), &pair);
  pair.hear();
  poll.report(pair);
  EXPECT_EQ(next(), &pair);
}

TEST_F(EventPollTest, TicksComeWhoeverWaits) {
  for (int i = 0; i < 3; ++i) {
    EventPoll::Event event = poll.wait();
    ASSERT_TRUE(std::holds_alternative<EventPoll::Tick>(event));
    poll.report(add("192.0.2.1", "a"));
    poll.acknowledge_tick();
    EXPECT_EQ(next()->name, "a");
  }
}

// Some workers sleep and some do not, whatever moment the events come at: none is lost, and none comes twice.
TEST_F(EventPollTest, EveryEventGoesToOneWorker) {
  constexpr int connections = 40;
  constexpr int rounds = 500;
  for (int i = 0; i < connections; ++i) add("192.0.2." + std::to_string(i % 5), "connection").say();
  std::atomic<int> left = connections * rounds;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&, i] {
        int turn = i;
        while (Pair* const pair = next()) {
          pair->hear();
          pair->say();
          const int now_left = --left;
          if (now_left == 0) poll.end();
          if (now_left <= 0) continue;
          if (++turn % 2 == 0) {
            poll.report(*pair);
          } else {
            poll.watch(pair->near.number(), *pair, false);
          }
        }
      });
    }
  }
  EXPECT_LE(left, 0);
}

}  // namespace
}  // namespace portail
