// Which connections and requests are accepted, and the default number of workers.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "native/server/admission.hpp"

namespace portail::server {
namespace {

using std::chrono::milliseconds;

IpAddress address(const char* text) { return *IpAddress::parse(text); }

TEST(Admission, LimitsTheTotal) {
  Admission admission({.max_connections = 2, .max_per_address = 2});
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.2"), true));
  EXPECT_FALSE(admission.admit(address("192.0.2.3"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.3"), true));
  admission.release(address("192.0.2.2"), true);
  EXPECT_TRUE(admission.admit(address("192.0.2.3"), false));
}

TEST(Admission, LimitsEachAddress) {
  Admission admission({.max_connections = 10, .max_per_address = 2});
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("::ffff:192.0.2.1"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), true));
  admission.release(address("192.0.2.1"), true);
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
  EXPECT_TRUE(admission.admit(address("192.0.2.2"), false));
  admission.release(address("192.0.2.1"), false);
  EXPECT_TRUE(admission.admit(address("192.0.2.1"), false));
  EXPECT_FALSE(admission.admit(address("192.0.2.1"), false));
}

TEST(Admission, CountsASlash64NetworkAsOneAddress) {
  Admission admission({.max_connections = 10, .max_per_address = 1});
  EXPECT_TRUE(admission.admit(address("2001:db8:0:1::1"), false));
  EXPECT_FALSE(admission.admit(address("2001:db8:0:1:ffff::2"), false));
  EXPECT_TRUE(admission.admit(address("2001:db8:0:2::1"), false));
}

class LoadSheddingTest : public testing::Test {
 protected:
  static constexpr bool not_empty = false;
  static constexpr bool empty = true;

  static LoadShedding::Time at(int time) { return LoadShedding::Time{} + std::chrono::hours{1} + milliseconds(time); }
  void dequeue(int queue_time, bool is_queue_empty, int time) {
    load.on_dequeue(milliseconds(queue_time), is_queue_empty, at(time));
  }
  [[nodiscard]] bool should_shed(int queue_time, int time) const {
    return load.should_shed(milliseconds(queue_time), at(time));
  }

  LoadShedding load{milliseconds(40)};
};

TEST_F(LoadSheddingTest, ShedsNothingAtFirst) {
  EXPECT_FALSE(should_shed(0, 0));
  EXPECT_FALSE(should_shed(1000, 1000));
}

TEST_F(LoadSheddingTest, AcceptsABurst) {
  dequeue(21, not_empty, 0);
  dequeue(90, not_empty, 99);
  EXPECT_FALSE(should_shed(90, 99));
}

TEST_F(LoadSheddingTest, ShedsLongWaitsOnceTheQueueHasNotBeenEmptyForAnInterval) {
  dequeue(21, not_empty, 0);
  dequeue(41, not_empty, 100);
  EXPECT_TRUE(should_shed(41, 100));
  EXPECT_FALSE(should_shed(40, 100));
  EXPECT_FALSE(should_shed(0, 100));
}

TEST_F(LoadSheddingTest, AQueueTimeOfHalfTheLimitIsNotOverload) {
  for (int time = 0; time < 300; time += 20) dequeue(20, not_empty, time);
  dequeue(41, not_empty, 300);
  EXPECT_FALSE(should_shed(41, 399));
  EXPECT_TRUE(should_shed(41, 400));
}

TEST_F(LoadSheddingTest, AShortQueueTimeDoesNotEndOverload) {
  dequeue(50, not_empty, 0);
  dequeue(1, not_empty, 50);
  dequeue(41, not_empty, 100);
  EXPECT_TRUE(should_shed(41, 100));
}

TEST_F(LoadSheddingTest, AnEmptyQueueEndsOverload) {
  dequeue(50, not_empty, 0);
  dequeue(50, not_empty, 150);
  EXPECT_TRUE(should_shed(50, 150));
  dequeue(45, empty, 151);
  EXPECT_FALSE(should_shed(50, 151));
  // Overload after the next burst needs another interval.
  dequeue(50, not_empty, 160);
  EXPECT_FALSE(should_shed(50, 259));
  EXPECT_TRUE(should_shed(50, 260));
}

TEST_F(LoadSheddingTest, CountsQueueTimes) {
  dequeue(0, empty, 0);
  dequeue(50, not_empty, 0);
  dequeue(2000, not_empty, 1);
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i <= QueueTimes::bounds.size(); ++i) counts.push_back(load.queue_times().count(i));
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(load.queue_times().sum(), milliseconds(2050));
}

TEST_F(LoadSheddingTest, CountsShedRequests) {
  load.count_shed();
  load.count_shed();
  EXPECT_EQ(load.shed(), 2u);
}

TEST(LoadShedding, CanBeDisabled) {
  LoadShedding load(milliseconds(0));
  const LoadShedding::Time begin = LoadShedding::Time{} + std::chrono::hours{1};
  load.on_dequeue(std::chrono::seconds(1), false, begin);
  EXPECT_FALSE(load.should_shed(std::chrono::seconds(1), begin + std::chrono::seconds(1)));
}

TEST(WorkerCount, TwoForEachProcessor) {
  EXPECT_EQ(default_workers(2), 4u);
  EXPECT_EQ(default_workers(3), 6u);
  EXPECT_EQ(default_workers(64), 128u);
}

TEST(WorkerCount, AtLeastFour) {
  EXPECT_EQ(default_workers(1), 4u);
  EXPECT_EQ(default_workers(0), 4u);
}

}  // namespace
}  // namespace portail::server
