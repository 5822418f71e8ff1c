#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

// Runs body(0) to body(count - 1), each in a thread of its own.
template <class Body>
void in_threads(int count, Body body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
}

TEST_P(StoreConformance, LosesNoRacingSwap) {
  if (!store->traits().compare_and_swap) GTEST_SKIP() << "the store does not claim compare_and_swap";
  ASSERT_TRUE(client.put("count", "0"));
  in_threads(4, [this](int) {
    StoreClient mine(*store);
    for (int done = 0; done < 50;) {
      const std::string seen = mine.get("count").value();
      if (mine.swap("count", seen, std::to_string(std::stoi(seen) + 1)).value()) ++done;
    }
  });
  EXPECT_EQ(client.get("count"), "200");
}

TEST_P(StoreConformance, AllowsOneRacerToCreateAKey) {
  if (!store->traits().compare_and_swap) GTEST_SKIP() << "the store does not claim compare_and_swap";
  for (int round = 0; round < 20; ++round) {
    const std::string key = "k." + std::to_string(round);
    std::atomic<int> winners = 0;
    std::atomic<int> winner = -1;
    in_threads(4, [&](int i) {
      StoreClient mine(*store);
      if (mine.swap(key, std::nullopt, std::to_string(i)).value()) {
        ++winners;
        winner = i;
      }
    });
    ASSERT_EQ(winners, 1);
    ASSERT_EQ(client.get(key), std::to_string(winner));
  }
}

TEST_P(StoreConformance, ShowsABatchAtomically) {
  if (!store->traits().atomic_batches || !store->traits().snapshots) {
    GTEST_SKIP() << "the store does not claim atomic_batches and snapshots";
  }
  ASSERT_TRUE(client.write({{"left", "0"}, {"right", "0"}}));
  std::atomic<bool> writing = true;
  std::atomic<int> torn = 0;
  in_threads(3, [&](int i) {
    StoreClient mine(*store);
    if (i == 0) {
      for (int n = 1; n <= 100; ++n) {
        const std::string value = std::to_string(n);
        EXPECT_TRUE(mine.write({{"left", value}, {"right", value}}));
      }
      writing = false;
    }
    while (writing) {
      auto session = mine.open();
      const auto left = mine.get(*session, "left");
      const auto right = mine.get(*session, "right");
      if (left != right) ++torn;
    }
  });
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(client.get("left"), "100");
}

TEST_P(StoreConformance, ServesManyThreadsConcurrently) {
  in_threads(8, [this](int i) {
    StoreClient mine(*store);
    const std::string prefix = "thread" + std::to_string(i) + '.';
    for (int n = 0; n < 25; ++n) {
      const std::string key = prefix + std::to_string(100 + n);
      auto before = mine.open();
      ASSERT_TRUE(mine.put(key, key));
      ASSERT_EQ(mine.get(key), key);
      if (n % 5 == 4) {
        ASSERT_TRUE(mine.remove(key));
      }
    }
    ASSERT_EQ(mine.scan(prefix).size(), 20u);
  });
  EXPECT_EQ(client.scan("thread").size(), 160u);
}

// A session may be used by one thread after another, and destroyed by a thread other than the one that opened it.
TEST_P(StoreConformance, AllowsASessionToMoveBetweenThreads) {
  ASSERT_TRUE(client.put("k", "1"));
  for (int round = 0; round < 20; ++round) {
    auto session = client.open();
    std::jthread([this, session = std::move(session)] {
      StoreClient mine(*store);
      EXPECT_EQ(mine.get(*session, "k"), "1");
    }).join();
    EXPECT_EQ(client.get("k"), "1");
  }
}

}  // namespace
}  // namespace portail
