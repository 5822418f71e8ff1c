// Requests that wait for the background refresh, with a scripted document.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/keys/refreshing_keys.hpp"
#include "tests/native/keys/refreshing_keys_test.hpp"

namespace portail::keys {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// The suspension of a request; wait() resumes its coroutine.
class ThreadSuspension final : public RequestSuspension {
 public:
  void suspend(std::coroutine_handle<> coroutine, steady_clock::time_point until) override {
    const std::lock_guard lock(mutex_);
    coroutine_ = coroutine;
    until_ = until;
    is_woken_ = false;
  }
  void wake() override {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    ++wakes_;
    changed_.notify_all();
  }
  [[nodiscard]] bool is_cancelled() const override { return is_cancelled_; }

  void cancel() {
    is_cancelled_ = true;
    wake();
  }
  // Waits for wake() or the deadline, then resumes the coroutine once.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until_, [this] { return is_woken_; });
    const auto coroutine = std::exchange(coroutine_, nullptr);
    lock.unlock();
    coroutine.resume();
  }
  int wakes() {
    const std::lock_guard lock(mutex_);
    return wakes_;
  }
  // Returns the time until which the coroutine is suspended.
  steady_clock::time_point until() {
    const std::lock_guard lock(mutex_);
    return until_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::coroutine_handle<> coroutine_;
  steady_clock::time_point until_;
  bool is_woken_ = false;
  int wakes_ = 0;
  std::atomic<bool> is_cancelled_ = false;
};

class WaitingForKeysTest : public RefreshingKeysTest {
 protected:
  Context context_with(FrameArena& frames, ThreadSuspension& suspension, std::chrono::milliseconds timeout = 60s) {
    return {.clock = clock,
            .random = random,
            .log = log,
            .frames = frames,
            .deadline = {clock.now().microseconds + timeout / 1us},
            .suspension = &suspension};
  }

  // A suspended request whose token has an unknown key.
  struct PendingRequest {
    PendingRequest(WaitingForKeysTest& test, SharedKeySet keys_seen, std::chrono::milliseconds timeout = 60s)
        : seen(std::move(keys_seen)),
          context(test.context_with(frames, suspension, timeout)),
          task(test.keys->refreshed(context, seen)) {
      task.start([](void*) {}, nullptr);
    }
    Result<SharedKeySet> result() {
      while (!task.done()) suspension.wait();
      return task.result();
    }

    FrameArena frames;
    ThreadSuspension suspension;
    SharedKeySet seen;
    Context context;
    Task<SharedKeySet> task;
  };

  // Runs a request to its end.
  SharedKeySet refreshed(const SharedKeySet& seen, std::chrono::milliseconds timeout = 60s) {
    return PendingRequest(*this, seen, timeout).result().value();
  }
};

TEST_F(WaitingForKeysTest, WaitingRequestsShareOneFetch) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  const SharedKeySet seen = refreshing.current();
  script.set_text(two);
  script.hold(true);
  std::vector<std::thread> requests;
  std::atomic<int> found = 0;
  for (int i = 0; i < 4; ++i) {
    requests.emplace_back([&] { found += refreshed(seen)->find("2") ? 1 : 0; });
  }
  until([&] { return script.count() == 2; });
  script.hold(false);
  for (std::thread& request : requests) request.join();
  EXPECT_EQ(found, 4);
  EXPECT_EQ(script.count(), 2);
  EXPECT_NE(refreshed(seen), seen) << "a newer set is returned without a fetch";
  EXPECT_EQ(script.count(), 2);
}

TEST_F(WaitingForKeysTest, NoRequestWaitsForAFetchThatIsNotDue) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 1h});
  const SharedKeySet seen = refreshing.current();
  for (int i = 0; i < 100; ++i) {
    const PendingRequest request(*this, seen);
    ASSERT_TRUE(request.task.done()) << "it is not suspended";
  }
  EXPECT_EQ(script.count(), 1);
}

TEST_F(WaitingForKeysTest, ARequestWaitsAtMostUntilItsDeadlineAndTwoSeconds) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms});
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  // The fetch is blocked, so these calls return by their timeouts.
  EXPECT_EQ(refreshed(seen, 10ms), seen);
  until([&] { return script.count() == 2; });
  PendingRequest first(*this, seen);
  EXPECT_LE(first.suspension.until(), steady_clock::now() + 2s);
  EXPECT_EQ(first.result(), seen);
  const PendingRequest later(*this, seen);
  EXPECT_TRUE(later.task.done()) << "the fetch began 2 s ago";
  EXPECT_EQ(script.count(), 2);
}

// All requests are suspended on one thread.
TEST_F(WaitingForKeysTest, OneRefreshResumesAllWaitingRequests) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  const SharedKeySet seen = refreshing.current();
  script.set_text(two);
  script.hold(true);
  std::vector<std::unique_ptr<PendingRequest>> requests;
  for (int i = 0; i < 1000; ++i) {
    requests.push_back(std::make_unique<PendingRequest>(*this, seen));
    ASSERT_FALSE(requests.back()->task.done());
  }
  script.hold(false);
  for (const auto& request : requests) {
    const auto found = request->result();
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE((*found)->find("2"));
  }
  EXPECT_EQ(script.count(), 2);
}

TEST_F(WaitingForKeysTest, ARequestDuringAReadAlsoWaitsForTheNextRefresh) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  refreshing.request_refresh();
  until([&] { return script.count() == 2; });
  PendingRequest request(*this, refreshing.current());
  ASSERT_FALSE(request.task.done());
  script.next_text = two;  // published during the read of the previous set
  script.hold(false);
  EXPECT_TRUE((*request.result())->find("2"));
  EXPECT_EQ(script.count(), 3);
}

TEST_F(WaitingForKeysTest, ARequestDuringAReadWaitsForOneMoreRefreshOnly) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  refreshing.request_refresh();
  until([&] { return script.count() == 2; });
  const SharedKeySet seen = refreshing.current();
  PendingRequest request(*this, seen);
  ASSERT_FALSE(request.task.done());
  script.hold(false);
  EXPECT_EQ(request.result(), seen) << "no refresh brought the key";
  EXPECT_EQ(script.count(), 3);
}

TEST_F(WaitingForKeysTest, ARequestThatCannotWaitReturnsAndTheSetIsFetched) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms});
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
  EXPECT_EQ(run_ready(refreshing.refreshed(context, seen)).value(), seen);
  until([&] { return script.count() == 2; });
}

TEST_F(WaitingForKeysTest, ACancelledRequestFails) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  PendingRequest request(*this, refreshing.current());
  ASSERT_FALSE(request.task.done());
  request.suspension.cancel();
  EXPECT_EQ(request.result(), std::unexpected(Failure::cancelled));
}

TEST_F(WaitingForKeysTest, ARequestThatIsCancelledBeforeItWaitsFailsImmediately) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  FrameArena frames;
  ThreadSuspension suspension;
  suspension.cancel();
  Context context = context_with(frames, suspension);
  const SharedKeySet seen = refreshing.current();
  Task<SharedKeySet> task = refreshing.refreshed(context, seen);
  task.start([](void*) {}, nullptr);
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), std::unexpected(Failure::cancelled));
}

TEST_F(WaitingForKeysTest, ASpuriousWakeContinuesTheWait) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.set_text(two);
  script.hold(true);
  PendingRequest request(*this, refreshing.current());
  request.suspension.wake();
  request.suspension.wait();
  ASSERT_FALSE(request.task.done());
  script.hold(false);
  EXPECT_TRUE((*request.result())->find("2"));
}

TEST_F(WaitingForKeysTest, ADestroyedRequestIsNotWoken) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  ThreadSuspension suspension;
  {
    FrameArena frames;
    Context context = context_with(frames, suspension);
    const SharedKeySet seen = refreshing.current();
    Task<SharedKeySet> task = refreshing.refreshed(context, seen);
    task.start([](void*) {}, nullptr);
    ASSERT_FALSE(task.done());
  }
  until([&] { return script.count() == 2; });
  script.hold(false);
  until([&] { return refreshing.status().refreshes == 2; });
  EXPECT_EQ(suspension.wakes(), 0);
}

}  // namespace
}  // namespace portail::keys
