#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "native/server/request_rates.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;

constexpr RateLimit::Time at(int when) { return RateLimit::Time{} + std::chrono::hours{1} + milliseconds(when); }

// Two a second: twenty at once.
class RateLimitTest : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t wait(std::string_view asker, int when) {
    return std::chrono::duration_cast<milliseconds>(limit.take(limit.id_of(asker), at(when))).count();
  }
  void take(std::string_view asker, int count, int when) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(wait(asker, when), 0) << asker << ' ' << i;
  }

  RateLimit limit{2, Hash32{}};
};

TEST_F(RateLimitTest, TenSecondsWorthAtOnceAndThenTheRate) {
  EXPECT_EQ(limit.quota(), 20);
  take("a", 20, 0);
  EXPECT_EQ(wait("a", 0), 500);
  EXPECT_EQ(wait("a", 1), 499);
  EXPECT_EQ(wait("a", 499), 1);
  EXPECT_EQ(wait("a", 500), 0);
  EXPECT_EQ(wait("a", 500), 500);
  EXPECT_EQ(wait("a", 1250), 0);
  EXPECT_EQ(wait("a", 1250), 250);
}

TEST_F(RateLimitTest, WhatIsRefusedCountsForNothing) {
  take("a", 20, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(wait("a", 100), 400);
  EXPECT_EQ(wait("a", 500), 0);
  EXPECT_EQ(limit.refused(), 1000U);
}

TEST_F(RateLimitTest, ABurstIsWholeAgainAfterTheWindowAndGrowsNoFurther) {
  take("a", 20, 0);
  take("a", 20, 10'000);
  EXPECT_EQ(wait("a", 10'000), 500);
  take("a", 20, 3'600'000);
  EXPECT_EQ(wait("a", 3'600'000), 500);
}

TEST_F(RateLimitTest, AskersDoNotShare) {
  take("a", 20, 0);
  take("b", 20, 0);
  EXPECT_EQ(wait("a", 0), 500);
}

TEST(RateLimit, ARateThatDoesNotDivideASecondIsNotExceeded) {
  RateLimit limit(3, Hash32{});
  const Hash32 asker = limit.id_of("a");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(limit.take(asker, at(0)), RateLimit::Duration::zero());
  EXPECT_EQ(limit.take(asker, at(0)), RateLimit::Duration(333'333'334));
}

TEST(RateLimit, TheHighestRate) {
  RateLimit limit(100'000, Hash32{});
  const Hash32 asker = limit.id_of("a");
  for (int i = 0; i < 1'000'000; ++i) ASSERT_EQ(limit.take(asker, at(0)), RateLimit::Duration::zero());
  EXPECT_EQ(limit.take(asker, at(0)), std::chrono::microseconds(10));
}

TEST(RateLimit, ThreadsTogetherGetNoMoreThanOne) {
  RateLimit limit(2, Hash32{});
  const Hash32 asker = limit.id_of("a");
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int request = 0; request < 100; ++request) {
          if (limit.take(asker, at(0)) == RateLimit::Duration::zero()) ++taken;
        }
      });
    }
  }
  EXPECT_EQ(taken, 20);
  EXPECT_EQ(limit.refused(), 780U);
}

// One set has sixteen places, whoever comes.
class FullSetTest : public RateLimitTest {
 protected:
  FullSetTest() {
    take("much", 20, 0);
    take("little", 1, 0);
    for (const char other : std::string_view("abcdefghijklmn")) take(std::string(1, other), 2, 0);
  }

  void take(const std::string& asker, int count, int when) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(wait(asker, when), 0) << asker << ' ' << i;
  }
  [[nodiscard]] std::int64_t wait(const std::string& asker, int when) {
    return std::chrono::duration_cast<milliseconds>(small.take(small.id_of(asker), at(when))).count();
  }

  RateLimit small{2, Hash32{}, 1};
};

TEST_F(FullSetTest, WhoIsFreeSoonestMakesWay) {
  take("newcomer", 20, 0);
  EXPECT_EQ(wait("newcomer", 0), 500);
  EXPECT_EQ(wait("much", 0), 500);
  // Forgotten, though it asked once before.
  take("little", 20, 0);
  EXPECT_EQ(wait("little", 0), 500);
}

TEST_F(FullSetTest, ACrowdOfNewcomersDoesNotHideWhoAskedMuch) {
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(wait("crowd " + std::to_string(i), 0), 0);
  EXPECT_EQ(wait("much", 0), 500);
}

TEST_F(FullSetTest, NothingIsLostWhereThoseWhoseBurstIsWholeMakeWay) {
  // All but "much" are whole again; fifteen others take their places.
  for (int i = 0; i < 15; ++i) take("newcomer " + std::to_string(i), 3, 1000);
  for (int i = 0; i < 15; ++i) take("newcomer " + std::to_string(i), 17, 1000);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(wait("newcomer " + std::to_string(i), 1000), 500);
  take("much", 2, 1000);
  EXPECT_EQ(wait("much", 1000), 500);
}

class CountingRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte(++filled)); }
  int filled = 0;
};

Caller caller(std::string_view subject, std::string_view client = {}, bool is_client_itself = false) {
  Caller made;
  made.subject = subject;
  made.client = client;
  made.is_client_itself = is_client_itself;
  return made;
}

IpAddress address(const std::string& text) { return IpAddress::parse(text).value(); }

RateLimit::Time stands_still() { return at(0); }

TEST(PeerLimits, WithoutALimitNothingIsCounted) {
  CountingRandom random;
  RequestRates rates(0, 0, random, &stands_still);
  PeerLimits limits(rates, address("192.0.2.1"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limits.count_request().has_value(), false);
    EXPECT_EQ(limits.count_caller(caller("a")).has_value(), false);
  }
  EXPECT_EQ(random.filled, 0);
}

TEST(PeerLimits, ANetworkOfSixtyFourBitsIsOneAddress) {
  CountingRandom random;
  RequestRates rates(1, 0, random, &stands_still);
  PeerLimits one(rates, address("2001:db8:0:1::1"));
  PeerLimits same(rates, address("2001:db8:0:1:ffff::2"));
  PeerLimits other(rates, address("2001:db8:0:2::1"));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(one.count_request());
  const auto exceeded = same.count_request();
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->policy, "address");
  EXPECT_EQ(exceeded->quota, 10);
  EXPECT_EQ(exceeded->window_seconds, 10);
  EXPECT_EQ(exceeded->seconds_until_room, 1);
  EXPECT_FALSE(other.count_request());
  EXPECT_EQ(rates.refused_by_address(), 1U);
  EXPECT_EQ(rates.refused_by_subject(), 0U);
}

TEST(PeerLimits, AProxyHasNoAddressButItsClientsAreSubjects) {
  CountingRandom random;
  RequestRates rates(1, 1, random, &stands_still);
  PeerLimits limits(rates, std::nullopt);
  PeerLimits direct(rates, address("192.0.2.1"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(limits.count_request());
    EXPECT_FALSE(limits.count_caller(caller("a")));
  }
  EXPECT_FALSE(limits.count_request());
  // The same subject from elsewhere.
  const auto exceeded = direct.count_caller(caller("a"));
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->policy, "subject");
  EXPECT_FALSE(direct.count_caller(caller("b")));
}

TEST(PeerLimits, AClientItselfIsAnotherThanAUserOfItsName) {
  CountingRandom random;
  RequestRates rates(0, 1, random, &stands_still);
  PeerLimits limits(rates, std::nullopt);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limits.count_caller(caller("batch")));
  EXPECT_TRUE(limits.count_caller(caller("batch")));
  EXPECT_TRUE(limits.count_caller(caller("batch", "web")));
  const Caller client = caller("batch", "batch", true);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limits.count_caller(client));
  EXPECT_TRUE(limits.count_caller(client));
  EXPECT_TRUE(limits.count_caller(caller("", "batch")));
}

}  // namespace
}  // namespace portail
