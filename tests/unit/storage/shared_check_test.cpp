#include "core/storage/shared_check.hpp"

#include <atomic>
#include <coroutine>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/waiting_request.hpp"

namespace portail {
namespace {

// Checks that last until the test ends them. The result of a check is its number, from 1.
class Checks {
 public:
  SharedCheck<int> shared;
  int begun = 0;

  // Ends the check with this number.
  void end(int number, bool succeeds = true) {
    ASSERT_TRUE(running_.contains(number));
    outcomes_[number] = succeeds;
    running_.extract(number).mapped().resume();
  }

  struct Running {
    Checks& checks;
    int number;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) { checks.running_[number] = coroutine; }
    bool await_resume() { return checks.outcomes_[number]; }
  };

 private:
  std::map<int, std::coroutine_handle<>> running_;
  std::map<int, bool> outcomes_;
};

Task<int> result_of(Context& context, Checks& checks) {
  SharedCheck<int>::Turn turn(checks.shared, *context.suspension);
  if (const auto result = co_await turn.wait(context)) co_return *result;
  const int number = ++checks.begun;
  const bool succeeds = co_await Checks::Running{checks, number};
  turn.end(succeeds ? std::make_shared<int>(number) : nullptr);
  if (!succeeds) co_await std::unexpected(Failure::unavailable);
  co_return number;
}

class SharedChecks : public testing::Test {
 protected:
  struct PendingRequest {
    PendingRequest(SingleThreadHost& host, Checks& checks) : request(host), task(result_of(request.context, checks)) {
      task->start([](void*) {}, nullptr);
    }
    void cancel() { task.reset(); }
    // 0: it waits; -1: it failed.
    int result() { return task->done() ? task->result().value_or(-1) : 0; }
    WaitingRequest request;
    std::optional<Task<int>> task;
  };

  PendingRequest& start() { return *requests_.emplace_back(std::make_unique<PendingRequest>(host, checks)); }
  std::vector<PendingRequest*> start(int count) {
    std::vector<PendingRequest*> started;
    for (int i = 0; i < count; ++i) started.push_back(&start());
    return started;
  }
  // Resumes every request that was woken. Returns their number.
  int run_woken() {
    int count = 0;
    for (; host.has_woken(); ++count) host.run_one();
    return count;
  }

  SingleThreadHost host;
  Checks checks;

 private:
  std::vector<std::unique_ptr<PendingRequest>> requests_;
};

TEST_F(SharedChecks, OfALoneRequestBeginImmediately) {
  for (int number = 1; number <= 3; ++number) {
    PendingRequest& lone = start();
    EXPECT_EQ(checks.begun, number);
    checks.end(number);
    EXPECT_EQ(lone.result(), number);
    EXPECT_FALSE(host.has_woken());
  }
}

TEST_F(SharedChecks, OfSixteenConcurrentRequestsAreThree) {
  const auto first = start(2);
  const auto others = start(14);
  EXPECT_EQ(checks.begun, 2) << "the others came after they began";
  checks.end(1);
  checks.end(2);
  EXPECT_EQ(first[0]->result(), 1);
  EXPECT_EQ(first[1]->result(), 2);
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 3);
  for (PendingRequest* other : others) EXPECT_EQ(other->result(), 0);
  checks.end(3);
  EXPECT_EQ(run_woken(), 13);
  for (PendingRequest* other : others) EXPECT_EQ(other->result(), 3);
  EXPECT_EQ(checks.begun, 3);
}

TEST_F(SharedChecks, ThatFailAreMadeByEachRequestThatWaited) {
  start(2);
  const auto waiting = start(3);
  checks.end(1);
  run_woken();
  EXPECT_EQ(checks.begun, 3);
  checks.end(3, false);
  EXPECT_EQ(waiting[0]->result(), -1);
  EXPECT_EQ(run_woken(), 2);
  EXPECT_EQ(checks.begun, 5);
  checks.end(4, false);
  checks.end(5);
  EXPECT_EQ(waiting[1]->result(), -1);
  EXPECT_EQ(waiting[2]->result(), 5);
}

TEST_F(SharedChecks, AreMadeByAnotherRequestIfTheirFirstOneIsCancelled) {
  const auto first = start(2);
  const auto waiting = start(3);
  first[0]->cancel();
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 3);
  PendingRequest& later = start();
  waiting[0]->cancel();
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 4);
  checks.end(4);
  EXPECT_EQ(run_woken(), 2);
  EXPECT_EQ(waiting[1]->result(), 4);
  EXPECT_EQ(waiting[2]->result(), 4);
  EXPECT_EQ(later.result(), 4) << "the fourth check began after it";
}

TEST_F(SharedChecks, AreMadeByTheNextRequestIfTheOneThatIsCalledIsCancelled) {
  start(2);
  const auto waiting = start(2);
  checks.end(1);
  waiting[0]->cancel();
  host.remove_woken(waiting[0]->request.suspension);
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 3);
  checks.end(3);
  EXPECT_EQ(waiting[1]->result(), 3);
}

TEST_F(SharedChecks, ThatANewRequestBeginsServeTheOneThatWasCalled) {
  start(2);
  PendingRequest& called = start();
  checks.end(1);
  PendingRequest& newer = start();
  EXPECT_EQ(checks.begun, 3);
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 3);
  EXPECT_EQ(called.result(), 0);
  checks.end(3);
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(called.result(), 3);
  EXPECT_EQ(newer.result(), 3);
}

TEST_F(SharedChecks, ThatTakeTooLongAreNotAwaited) {
  const auto first = start(2);
  PendingRequest& late = start();
  late.request.suspension.wake();  // as the host does after the timeout
  EXPECT_EQ(run_woken(), 1);
  EXPECT_EQ(checks.begun, 3);
  PendingRequest& next = start();
  EXPECT_EQ(checks.begun, 3) << "it waits for the first checks";
  checks.end(3);
  EXPECT_EQ(late.result(), 3);
  EXPECT_EQ(next.result(), 0) << "the third check was not shared";
  checks.end(1);
  EXPECT_EQ(run_woken(), 1);
  checks.end(4);
  EXPECT_EQ(first[0]->result(), 1);
  EXPECT_EQ(next.result(), 4);
}

// Threads of requests, each of which must get a state that is not older than its beginning.
TEST(SharedChecksOfThreads, AreNotOlderThanTheirRequests) {
  constexpr int threads = 6;
  constexpr int requests_of_thread = 3000;
  struct State {
    SharedCheck<int> shared;
    std::atomic<int> value = 0;
  } state;
  struct Request {
    static Task<int> run(Context& context, State& state) {
      SharedCheck<int>::Turn turn(state.shared, *context.suspension);
      if (const auto result = co_await turn.wait(context)) co_return *result;
      const int found = state.value;
      std::this_thread::yield();  // the check takes a while
      turn.end(std::make_shared<int>(found));
      co_return found;
    }
  };
  std::vector<int> older(threads);
  std::vector<int> answered(threads);
  {
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&state, &old = older[thread], &done = answered[thread]] {
        SingleThreadHost host;
        for (int i = 0; i < requests_of_thread; ++i) {
          WaitingRequest request(host);
          const int before = ++state.value;
          auto task = Request::run(request.context, state);
          task.start([](void*) {}, nullptr);
          while (!task.done()) host.run_one();
          const auto result = task.result();
          if (result) ++done;
          if (!result || *result < before) ++old;
        }
      });
    }
  }
  EXPECT_EQ(older, std::vector<int>(threads, 0));
  EXPECT_EQ(answered, std::vector<int>(threads, requests_of_thread));
}

}  // namespace
}  // namespace portail
