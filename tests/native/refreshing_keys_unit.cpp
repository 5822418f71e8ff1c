// The background refresh, with a document that the test answers for.
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/host/system.hpp"
#include "native/keys/refreshing_keys.hpp"

namespace portail {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// RFC 8037 appendix A.1, under two names.
constexpr const char* one =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";
constexpr const char* two =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"2","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

// What the source says, and whether it says it at once.
struct Script {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::expected<std::string, std::string> text;
  std::optional<std::string> next_text;  // after the next read
  bool held = false;
  int reads = 0;

  void say(std::expected<std::string, std::string> next) {
    const std::lock_guard lock(mutex);
    text = std::move(next);
  }
  void hold(bool whether) {
    const std::lock_guard lock(mutex);
    held = whether;
    changed.notify_all();
  }
  int count() {
    const std::lock_guard lock(mutex);
    return reads;
  }
};

class ScriptedDocument final : public KeyDocument {
 public:
  explicit ScriptedDocument(Script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "script"; }
  std::expected<std::string, std::string> read(std::stop_token stop) override {
    std::unique_lock lock(script_.mutex);
    ++script_.reads;
    script_.changed.wait(lock, stop, [this] { return !script_.held; });
    auto text = script_.text;
    if (script_.next_text) script_.text = *std::exchange(script_.next_text, std::nullopt);
    return text;
  }

 private:
  Script& script_;
};

// A request that waits in a thread of its own. What suspended it goes on in wait().
class ThreadPlace final : public WaitingPlace {
 public:
  void suspend(std::coroutine_handle<> coroutine, steady_clock::time_point until) override {
    const std::lock_guard lock(mutex_);
    coroutine_ = coroutine;
    until_ = until;
    woken_ = false;
  }
  void wake() override {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    ++wakes_;
    changed_.notify_all();
  }
  [[nodiscard]] bool is_given_up() const override { return given_up_; }

  void give_up() {
    given_up_ = true;
    wake();
  }
  // Resumes what is suspended, once.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until_, [this] { return woken_; });
    const auto coroutine = std::exchange(coroutine_, nullptr);
    lock.unlock();
    coroutine.resume();
  }
  int wakes() {
    const std::lock_guard lock(mutex_);
    return wakes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::coroutine_handle<> coroutine_;
  steady_clock::time_point until_;
  bool woken_ = false;
  int wakes_ = 0;
  std::atomic<bool> given_up_ = false;
};

void until(const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + 60s;
  while (!condition()) {
    ASSERT_LT(steady_clock::now(), end);
    std::this_thread::sleep_for(1ms);
  }
}

class RefreshingKeysTest : public testing::Test {
 protected:
  // A request with a token of an unknown key.
  struct Asking {
    Asking(RefreshingKeysTest& test, SharedKeySet known, std::chrono::milliseconds patience = 60s)
        : seen(std::move(known)),
          context{.clock = test.clock,
                  .random = test.random,
                  .log = test.log,
                  .frames = frames,
                  .deadline = {test.clock.now().microseconds + patience / 1us},
                  .waiting_place = &place},
          task(test.keys->refreshed(context, seen)) {
      task.start([](void*) {}, nullptr);
    }
    Result<SharedKeySet> result() {
      while (!task.done()) place.wait();
      return task.result();
    }

    FrameArena frames;
    ThreadPlace place;
    SharedKeySet seen;
    Context context;
    Task<SharedKeySet> task;
  };

  RefreshingKeys& make(RefreshTimes times) {
    keys.emplace(std::make_unique<ScriptedDocument>(script), times, log);
    return *keys;
  }
  // Its first set was read, and the background thread runs.
  RefreshingKeys& start_with_one(RefreshTimes times) {
    script.say(one);
    RefreshingKeys& made = make(times);
    made.refresh();
    made.start();
    return made;
  }
  // From its begin to its end.
  SharedKeySet ask(const SharedKeySet& seen, std::chrono::milliseconds patience = 60s) {
    return Asking(*this, seen, patience).result().value();
  }
  [[nodiscard]] bool knows(const char* kid) { return keys->current() && keys->current()->find(kid); }

  JsonLog log{LogLevel::error};
  SystemClock clock;
  SystemRandom random;
  Script script;
  std::optional<RefreshingKeys> keys;
};

TEST_F(RefreshingKeysTest, KeepsTheSameSetAsLongAsTheTextIsTheSame) {
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1ms});
  EXPECT_EQ(refreshing.current(), nullptr);
  EXPECT_FALSE(refreshing.status().age.has_value());
  refreshing.refresh();
  const SharedKeySet first = refreshing.current();
  ASSERT_TRUE(knows("1"));
  refreshing.start();
  until([&] { return script.count() > 5; });
  EXPECT_EQ(refreshing.current(), first);
  script.say(two);
  until([&] { return knows("2"); });
  EXPECT_FALSE(knows("1"));
}

TEST_F(RefreshingKeysTest, AllWhoWaitShareOneFetch) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  const SharedKeySet seen = refreshing.current();
  script.say(two);
  script.hold(true);
  std::vector<std::thread> requests;
  std::atomic<int> found = 0;
  for (int i = 0; i < 4; ++i) {
    requests.emplace_back([&] { found += ask(seen)->find("2") ? 1 : 0; });
  }
  until([&] { return script.count() == 2; });
  script.hold(false);
  for (std::thread& request : requests) request.join();
  EXPECT_EQ(found, 4);
  EXPECT_EQ(script.count(), 2);
  EXPECT_NE(ask(seen), seen) << "a set that is already newer costs no fetch";
  EXPECT_EQ(script.count(), 2);
}

TEST_F(RefreshingKeysTest, NobodyWaitsForWhatWillNotCome) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 1h});
  const auto began = steady_clock::now();
  const SharedKeySet seen = refreshing.current();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ask(seen), seen);
  EXPECT_LT(steady_clock::now() - began, 60s) << "2 s each would be 200 s";
  EXPECT_EQ(script.count(), 1);
}

TEST_F(RefreshingKeysTest, ARequestWaitsNoLongerThanItsDeadlineAndTwoSeconds) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  // The fetch ends when this test says so, later: that these return is the proof.
  EXPECT_EQ(ask(seen, 10ms), seen);
  const auto began = steady_clock::now();
  EXPECT_EQ(ask(seen), seen);
  EXPECT_EQ(ask(seen), seen);
  EXPECT_LT(steady_clock::now() - began, 50s);
  EXPECT_EQ(script.count(), 2);
}

// One thread asks for all: whoever waits holds none.
TEST_F(RefreshingKeysTest, HoweverManyWaitAllGoOnWhenTheRefreshEnds) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  const SharedKeySet seen = refreshing.current();
  script.say(two);
  script.hold(true);
  std::vector<std::unique_ptr<Asking>> requests;
  for (int i = 0; i < 1000; ++i) {
    requests.push_back(std::make_unique<Asking>(*this, seen));
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

TEST_F(RefreshingKeysTest, WhoComesWhileOneReadsWaitsForTheNextRefreshToo) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.hold(true);
  refreshing.refresh_soon();
  until([&] { return script.count() == 2; });
  Asking request(*this, refreshing.current());
  ASSERT_FALSE(request.task.done());
  script.next_text = two;  // published while the old set is on its way
  script.hold(false);
  EXPECT_TRUE((*request.result())->find("2"));
  EXPECT_EQ(script.count(), 3);
}

TEST_F(RefreshingKeysTest, WhoCannotWaitIsToldAtOnceAndTheSetIsFetched) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
  EXPECT_EQ(run_ready(refreshing.refreshed(context, seen)).value(), seen);
  until([&] { return script.count() == 2; });
}

TEST_F(RefreshingKeysTest, ARequestThatIsGivenUpFails) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.hold(true);
  Asking request(*this, refreshing.current());
  ASSERT_FALSE(request.task.done());
  request.place.give_up();
  EXPECT_EQ(request.result(), std::unexpected(Failure::cancelled));
}

TEST_F(RefreshingKeysTest, WhoIsWokenForNoReasonWaitsOn) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.say(two);
  script.hold(true);
  Asking request(*this, refreshing.current());
  request.place.wake();
  request.place.wait();
  ASSERT_FALSE(request.task.done());
  script.hold(false);
  EXPECT_TRUE((*request.result())->find("2"));
}

TEST_F(RefreshingKeysTest, ARequestThatIsDestroyedIsNotWoken) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .pause = 0ms});
  script.hold(true);
  ThreadPlace place;
  {
    FrameArena frames;
    Context context{.clock = clock,
                    .random = random,
                    .log = log,
                    .frames = frames,
                    .deadline = {clock.now().microseconds + 60'000'000},
                    .waiting_place = &place};
    const SharedKeySet seen = refreshing.current();
    Task<SharedKeySet> task = refreshing.refreshed(context, seen);
    task.start([](void*) {}, nullptr);
    ASSERT_FALSE(task.done());
  }
  until([&] { return script.count() == 2; });
  script.hold(false);
  until([&] { return refreshing.status().refreshes == 2; });
  EXPECT_EQ(place.wakes(), 0);
}

TEST_F(RefreshingKeysTest, OldKeysCountUntilTheyAreTooOld) {
  script.say(one);
  RefreshingKeys& refreshing =
      make({.interval = 1ms, .pause = 1ms, .first_retry = 1ms, .longest_age = std::chrono::milliseconds(300)});
  refreshing.refresh();
  script.say(std::unexpected("out of order"));
  refreshing.start();
  until([&] { return refreshing.status().failures_in_a_row > 2 || !refreshing.current(); });
  until([&] { return refreshing.current() == nullptr; });
  EXPECT_GE(refreshing.status().failures, 1U);
  EXPECT_EQ(refreshing.status().keys, 0U);
  script.say(one);
  until([&] { return knows("1"); });
  EXPECT_EQ(refreshing.status().failures_in_a_row, 0U);
}

TEST_F(RefreshingKeysTest, ItsEndStopsAFetch) {
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1ms});
  refreshing.refresh();
  script.hold(true);
  refreshing.start();
  until([&] { return script.count() == 2; });
  keys.reset();
}

}  // namespace
}  // namespace portail
