// Events of sockets and of threads: each is returned to one worker, and flows take turns.
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/socket.h>

#include "native/server/event_poll.hpp"

namespace portail::server {
namespace {

using ::testing::ElementsAre;

// Both ends of a connection, and its queue item.
struct SocketPair final : QueueItem {
  SocketPair(const std::string& address, std::string text)
      : QueueItem({.address = IpAddress::parse(address)->client_prefix()}), name(std::move(text)) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
    local = Descriptor(ends[0]);
    remote = Descriptor(ends[1]);
  }
  void send_byte() const { ASSERT_EQ(send(remote.number(), "x", 1, 0), 1); }
  void receive_byte() const {
    char byte = 0;
    ASSERT_EQ(recv(local.number(), &byte, 1, 0), 1);
  }

  std::string name;
  Descriptor local{-1};
  Descriptor remote{-1};
};

class EventPollTest : public testing::Test {
 protected:
  SocketPair& add(const std::string& address, std::string name) {
    SocketPair& pair = pairs.emplace_back(address, std::move(name));
    EXPECT_TRUE(poll.add(pair.local.number(), pair));
    return pair;
  }
  // Returns the next item; handles ticks.
  SocketPair* next() {
    while (true) {
      const EventPoll::Event event = poll.wait();
      if (std::holds_alternative<EventPoll::Stop>(event)) return nullptr;
      if (const ReadyItem* turn = std::get_if<ReadyItem>(&event)) return static_cast<SocketPair*>(turn->item);
      poll.acknowledge_tick();
    }
  }

  EventPoll poll{std::chrono::milliseconds(250)};
  std::deque<SocketPair> pairs;
};

TEST_F(EventPollTest, ReadyFlowsTakeTurns) {
  for (const char* name : {"a1", "a2", "a3"}) add("192.0.2.1", name).send_byte();
  add("192.0.2.2", "b1").send_byte();
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) names.push_back(next()->name);
  EXPECT_THAT(names, ElementsAre("a1", "b1", "a2", "a3"));
}

TEST_F(EventPollTest, AllReadySocketsAreFetchedBeforeTheFirstTurn) {
  for (int i = 0; i < 200; ++i) add("192.0.2.1", "a").send_byte();
  add("192.0.2.2", "b").send_byte();
  EXPECT_EQ(next()->name, "a");
  EXPECT_EQ(next()->name, "b");
  for (int i = 0; i < 199; ++i) EXPECT_EQ(next()->name, "a");
}

TEST_F(EventPollTest, AnEndedConnectionIsFirst) {
  for (const char* name : {"a1", "a2"}) add("192.0.2.1", name).send_byte();
  add("192.0.2.2", "b1").send_byte();
  SocketPair& ended = add("192.0.2.1", "ended");
  ASSERT_EQ(shutdown(ended.local.number(), SHUT_RDWR), 0);
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) names.push_back(next()->name);
  EXPECT_THAT(names, ElementsAre("ended", "b1", "a1", "a2"));
}

TEST_F(EventPollTest, ASubmittedItemNeedsNoSocketEvent) {
  SocketPair& pair = add("192.0.2.1", "a");
  pair.send_byte();
  EXPECT_EQ(next(), &pair);
  pair.receive_byte();
  poll.submit(pair);
  EXPECT_EQ(next(), &pair);
}

TEST_F(EventPollTest, TicksArriveBesideOtherEvents) {
  for (int i = 0; i < 3; ++i) {
    EventPoll::Event event = poll.wait();
    ASSERT_TRUE(std::holds_alternative<EventPoll::Tick>(event));
    poll.submit(add("192.0.2.1", "a"));
    poll.acknowledge_tick();
    EXPECT_EQ(next()->name, "a");
  }
}

// Each event is returned exactly once, whether workers sleep or not.
TEST_F(EventPollTest, EveryEventGoesToOneWorker) {
  constexpr int connections = 40;
  constexpr int rounds = 500;
  for (int i = 0; i < connections; ++i) add("192.0.2." + std::to_string(i % 5), "connection").send_byte();
  std::atomic<int> left = connections * rounds;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&, i] {
        int turn = i;
        while (SocketPair* const pair = next()) {
          pair->receive_byte();
          pair->send_byte();
          const int now_left = --left;
          if (now_left == 0) poll.stop();
          if (now_left <= 0) continue;
          if (++turn % 2 == 0) {
            poll.submit(*pair);
          } else {
            poll.rearm(pair->local.number(), *pair, false);
          }
        }
      });
    }
  }
  EXPECT_LE(left, 0);
}

// Two connections become ready while both workers sleep. A worker that fetches both events wakes the other one, which
// gets the second event while the first is still in work. Without ticks, which would wake a worker too.
TEST(EventPollWithoutTicks, WakesAnIdleWorkerForAPendingEvent) {
  constexpr int rounds = 3000;
  EventPoll poll{std::chrono::hours(1)};
  std::deque<SocketPair> pairs;
  for (int i = 0; i < 2; ++i) {
    SocketPair& pair = pairs.emplace_back("192.0.2.1", "connection");
    ASSERT_TRUE(poll.add(pair.local.number(), pair));
  }
  std::mutex mutex;
  std::condition_variable changed;
  int taken = 0;     // events that a worker has got: two in each round
  int finished = 0;  // events whose socket is armed again
  const auto increment = [&](int& count) {
    const std::lock_guard lock(mutex);
    changed.notify_all();
    return ++count;
  };
  const auto wait_until_at_least = [&](const int& count, int wanted) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::minutes(1), [&] { return count >= wanted; });
  };
  const auto work = [&] {
    while (true) {
      const EventPoll::Event event = poll.wait();
      const ReadyItem* const ready = std::get_if<ReadyItem>(&event);
      if (!ready) return;
      const int number = increment(taken);
      if (!wait_until_at_least(taken, number + number % 2)) return;
      const auto& pair = *static_cast<const SocketPair*>(ready->item);
      pair.receive_byte();
      EXPECT_TRUE(poll.rearm(pair.local.number(), *ready->item, false));
      increment(finished);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < 2; ++i) workers.emplace_back(work);
  int round = 0;
  for (; round < rounds; ++round) {
    for (const SocketPair& pair : pairs) pair.send_byte();
    if (!wait_until_at_least(finished, 2 * (round + 1))) break;
  }
  poll.stop();
  EXPECT_EQ(round, rounds) << "an event waited for a minute while a worker slept";
}

}  // namespace
}  // namespace portail::server
