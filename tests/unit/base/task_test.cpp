#include "core/base/task.hpp"

#include <coroutine>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

struct Frames {
  FrameArena& frames;
};

Task<int> ready(Frames&, int value) { co_return value; }

Task<long> sum_of_ready(Frames& context, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await ready(context, 1);
  co_return sum;
}

// Waits until the test resumes it.
struct Gate {
  std::coroutine_handle<> waiting;
  struct Awaiter {
    Gate& gate;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { gate.waiting = handle; }
    void await_resume() {}
  };
  Awaiter pass() { return {*this}; }
  void open() { std::exchange(waiting, nullptr).resume(); }
};

Task<int> through(Frames&, Gate& gate, int value) {
  co_await gate.pass();
  co_return value;
}

Task<int> failing(Frames&, Failure failure) { co_return std::unexpected(failure); }

Task<int> failing_late(Frames&, Gate& gate) {
  co_await gate.pass();
  co_await std::unexpected(Failure::unavailable);
  co_return 1;
}

struct Trace {
  std::vector<std::string>& lines;
  std::string name;
  ~Trace() { lines.push_back(name); }
};

Task<int> adds_one(Frames&, Task<int> inner, std::vector<std::string>& lines) {
  Trace trace{lines, "left"};
  const int value = co_await inner;
  lines.push_back("went on");
  co_return value + 1;
}

Task<std::string> reports(Frames&, Task<int> inner) {
  const Result<int> result = co_await outcome(std::move(inner));
  co_return result ? "value" : "failure";
}

class TaskTest : public testing::Test {
 protected:
  FrameArena arena;
  Frames context{arena};
  std::vector<std::string> lines;
  Gate gate;
};

TEST_F(TaskTest, MillionReadyAwaitsNeedNoStack) {
  const Result<long> result = run_ready(sum_of_ready(context, 1'000'000));
  EXPECT_EQ(result.value_or(0), 1'000'000);
}

TEST_F(TaskTest, DoesNotRunBeforeItIsAwaited) {
  {
    auto never_started = adds_one(context, ready(context, 1), lines);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{}));
}

TEST_F(TaskTest, SuspendedChildResumesItsParents) {
  auto task = adds_one(context, adds_one(context, through(context, gate, 40), lines), lines);
  bool ended = false;
  task.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended);
  EXPECT_FALSE(ended);
  gate.open();
  EXPECT_TRUE(ended);
  EXPECT_EQ(task.result().value_or(0), 42);
}

TEST_F(TaskTest, ReadyFailureEndsEveryWaiter) {
  auto task = adds_one(context, adds_one(context, failing(context, Failure::corrupt), lines), lines);
  bool ended = false;
  task.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended);
  EXPECT_TRUE(ended);
  const Result<int> result = task.result();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), Failure::corrupt);
  EXPECT_EQ(lines, (std::vector<std::string>{}));
}

TEST_F(TaskTest, LateFailureEndsEveryWaiter) {
  {
    auto task = adds_one(context, adds_one(context, failing_late(context, gate), lines), lines);
    bool ended = false;
    task.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended);
    gate.open();
    EXPECT_TRUE(ended);
    EXPECT_EQ(task.result().error_or(Failure::corrupt), Failure::unavailable);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"left", "left"}));
}

TEST_F(TaskTest, OutcomeTurnsFailuresIntoValues) {
  EXPECT_EQ(run_ready(reports(context, failing(context, Failure::corrupt))).value_or(""), "failure");
  EXPECT_EQ(run_ready(reports(context, ready(context, 1))).value_or(""), "value");
  auto late = reports(context, failing_late(context, gate));
  late.start([](void*) {}, nullptr);
  gate.open();
  EXPECT_EQ(late.result().value_or(""), "failure");
}

TEST_F(TaskTest, DestroyingASuspendedTaskDestroysItsLocals) {
  {
    auto task = adds_one(context, through(context, gate, 1), lines);
    task.start([](void*) {}, nullptr);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"left"}));
}

TEST_F(TaskTest, RunReadyCancelsSuspendedTasks) {
  const Result<int> result = run_ready(adds_one(context, through(context, gate, 1), lines));
  EXPECT_EQ(result.error_or(Failure::corrupt), Failure::cancelled);
}

}  // namespace
}  // namespace portail
