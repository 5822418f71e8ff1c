#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "native/server/request_rates.hpp"

namespace portail::server {
namespace {

using std::chrono::milliseconds;

constexpr RateLimit::Time at(int time) { return RateLimit::Time{} + std::chrono::hours{1} + milliseconds(time); }

// Two requests a second, with a burst of twenty.
class RateLimitTest : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t retry_after(std::string_view requester, int time) {
    return std::chrono::duration_cast<milliseconds>(limit.acquire(limit.id_of(requester), at(time))).count();
  }
  void acquire(std::string_view requester, int count, int time) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(retry_after(requester, time), 0) << requester << ' ' << i;
  }

  RateLimit limit{2, Hash32{}};
};

TEST(RateLimit, HasAnEntryForEachOf65536Requesters) { EXPECT_EQ(RateLimit::ways * RateLimit::max_sets, 65'536U); }

TEST_F(RateLimitTest, ABurstOfTenSecondsAndThenTheRate) {
  EXPECT_EQ(limit.quota(), 20);
  acquire("a", 20, 0);
  EXPECT_EQ(retry_after("a", 0), 500);
  EXPECT_EQ(retry_after("a", 1), 499);
  EXPECT_EQ(retry_after("a", 499), 1);
  EXPECT_EQ(retry_after("a", 500), 0);
  EXPECT_EQ(retry_after("a", 500), 500);
  EXPECT_EQ(retry_after("a", 1250), 0);
  EXPECT_EQ(retry_after("a", 1250), 250);
}

TEST_F(RateLimitTest, RefusedRequestsDoNotCount) {
  acquire("a", 20, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(retry_after("a", 100), 400);
  EXPECT_EQ(retry_after("a", 500), 0);
  EXPECT_EQ(limit.refused(), 1000U);
}

TEST_F(RateLimitTest, ABurstIsFullAfterTheWindowAndGrowsNoFurther) {
  acquire("a", 20, 0);
  acquire("a", 20, 10'000);
  EXPECT_EQ(retry_after("a", 10'000), 500);
  acquire("a", 20, 3'600'000);
  EXPECT_EQ(retry_after("a", 3'600'000), 500);
}

TEST_F(RateLimitTest, RequestersDoNotShare) {
  acquire("a", 20, 0);
  acquire("b", 20, 0);
  EXPECT_EQ(retry_after("a", 0), 500);
}

TEST(RateLimit, ARateThatDoesNotDivideASecondIsNotExceeded) {
  RateLimit limit(3, Hash32{});
  const Hash32 requester = limit.id_of("a");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(limit.acquire(requester, at(0)), RateLimit::Duration::zero());
  EXPECT_EQ(limit.acquire(requester, at(0)), RateLimit::Duration(333'333'334));
}

TEST(RateLimit, TheHighestRate) {
  RateLimit limit(100'000, Hash32{});
  const Hash32 requester = limit.id_of("a");
  for (int i = 0; i < 1'000'000; ++i) ASSERT_EQ(limit.acquire(requester, at(0)), RateLimit::Duration::zero());
  EXPECT_EQ(limit.acquire(requester, at(0)), std::chrono::microseconds(10));
}

TEST(RateLimit, ThreadsShareOneLimit) {
  RateLimit limit(2, Hash32{});
  const Hash32 requester = limit.id_of("a");
  std::atomic<int> acquired = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int request = 0; request < 100; ++request) {
          if (limit.acquire(requester, at(0)) == RateLimit::Duration::zero()) ++acquired;
        }
      });
    }
  }
  EXPECT_EQ(acquired, 20);
  EXPECT_EQ(limit.refused(), 780U);
}

// A single set, whose sixteen slots are all in use.
class FullSetTest : public RateLimitTest {
 protected:
  FullSetTest() {
    acquire("much", 20, 0);
    acquire("little", 1, 0);
    for (const char other : std::string_view("abcdefghijklmn")) acquire(std::string(1, other), 2, 0);
  }

  void acquire(const std::string& requester, int count, int time) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(retry_after(requester, time), 0) << requester << ' ' << i;
  }
  [[nodiscard]] std::int64_t retry_after(const std::string& requester, int time) {
    return std::chrono::duration_cast<milliseconds>(small.acquire(small.id_of(requester), at(time))).count();
  }

  RateLimit small{2, Hash32{}, 1};
};

TEST_F(FullSetTest, TheSlotThatIsFullFirstIsEvicted) {
  acquire("newcomer", 20, 0);
  EXPECT_EQ(retry_after("newcomer", 0), 500);
  EXPECT_EQ(retry_after("much", 0), 500);
  // Evicted, so it has a full burst again.
  acquire("little", 20, 0);
  EXPECT_EQ(retry_after("little", 0), 500);
}

TEST_F(FullSetTest, ManyNewRequestersDoNotEvictABusyOne) {
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(retry_after("crowd " + std::to_string(i), 0), 0);
  EXPECT_EQ(retry_after("much", 0), 500);
}

TEST_F(FullSetTest, EvictingAFullBurstLosesNothing) {
  // The bursts of all but "much" are full again; fifteen new requesters evict them.
  for (int i = 0; i < 15; ++i) acquire("newcomer " + std::to_string(i), 3, 1000);
  for (int i = 0; i < 15; ++i) acquire("newcomer " + std::to_string(i), 17, 1000);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(retry_after("newcomer " + std::to_string(i), 1000), 500);
  acquire("much", 2, 1000);
  EXPECT_EQ(retry_after("much", 1000), 500);
}

class CountingRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte(++filled)); }
  int filled = 0;
};

Caller caller(std::string_view subject, std::string_view client = {}, bool is_client_token = false) {
  Caller result;
  result.subject = subject;
  result.client = client;
  result.is_client_token = is_client_token;
  return result;
}

IpAddress peer(const std::string& text) { return IpAddress::parse(text).value(); }

RateLimit::Time frozen_clock() { return at(0); }

TEST(PeerLimits, WithoutLimitsNothingIsCounted) {
  CountingRandom random;
  RequestRates rates(0, 0, random, &frozen_clock);
  PeerLimits limits(rates, peer("192.0.2.1"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limits.count_request().has_value(), false);
    EXPECT_EQ(limits.count_caller(caller("a")).has_value(), false);
  }
  EXPECT_EQ(random.filled, 0);
}

TEST(PeerLimits, ASlash64NetworkIsOneAddress) {
  CountingRandom random;
  RequestRates rates(1, 0, random, &frozen_clock);
  PeerLimits one(rates, peer("2001:db8:0:1::1"));
  PeerLimits same(rates, peer("2001:db8:0:1:ffff::2"));
  PeerLimits other(rates, peer("2001:db8:0:2::1"));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(one.count_request());
  const auto exceeded = same.count_request();
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->policy, "address");
  EXPECT_EQ(exceeded->quota, 10);
  EXPECT_EQ(exceeded->window_seconds, 10);
  EXPECT_EQ(exceeded->retry_after_seconds, 1);
  EXPECT_FALSE(other.count_request());
  EXPECT_EQ(rates.refused_by_address(), 1U);
  EXPECT_EQ(rates.refused_by_subject(), 0U);
}

TEST(PeerLimits, BehindAProxyOnlySubjectsAreLimited) {
  CountingRandom random;
  RequestRates rates(1, 1, random, &frozen_clock);
  PeerLimits limits(rates, std::nullopt);
  PeerLimits direct(rates, peer("192.0.2.1"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(limits.count_request());
    EXPECT_FALSE(limits.count_caller(caller("a")));
  }
  EXPECT_FALSE(limits.count_request());
  // The same subject from another address.
  const auto exceeded = direct.count_caller(caller("a"));
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->policy, "subject");
  EXPECT_FALSE(direct.count_caller(caller("b")));
  EXPECT_NE(limits.caller(), 0U);
  EXPECT_EQ(direct.caller(), 0U) << "its address is its client";
}

TEST(PeerLimits, AClientAndAUserOfTheSameNameAreDistinct) {
  CountingRandom random;
  RequestRates rates(0, 1, random, &frozen_clock);
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
}  // namespace portail::server
