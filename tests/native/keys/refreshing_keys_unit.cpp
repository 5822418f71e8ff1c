// The background refresh, with a scripted document.
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/keys/refreshing_keys.hpp"
#include "native/system/system.hpp"

namespace portail::keys {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// The key of RFC 8037 appendix A.1, with two key IDs.
constexpr const char* one =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";
constexpr const char* two =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"2","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

// The document's text, and whether its reads block.
struct Script {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::expected<std::string, std::string> text;
  std::optional<std::string> next_text;  // set after the next read
  bool is_held = false;
  int reads = 0;

  void set_text(std::expected<std::string, std::string> next) {
    const std::lock_guard lock(mutex);
    text = std::move(next);
  }
  void hold(bool whether) {
    const std::lock_guard lock(mutex);
    is_held = whether;
    changed.notify_all();
  }
  int count() {
    const std::lock_guard lock(mutex);
    return reads;
  }
};

class ScriptedDocument final : public Document {
 public:
  explicit ScriptedDocument(Script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "script"; }
  std::expected<std::string, std::string> read(std::stop_token stop) override {
    std::unique_lock lock(script_.mutex);
    ++script_.reads;
    script_.changed.wait(lock, stop, [this] { return !script_.is_held; });
    auto text = script_.text;
    if (script_.next_text) script_.text = *std::exchange(script_.next_text, std::nullopt);
    return text;
  }

 private:
  Script& script_;
};

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

void until(const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + 60s;
  while (!condition()) {
    ASSERT_LT(steady_clock::now(), end);
    std::this_thread::sleep_for(1ms);
  }
}

class RefreshingKeysTest : public testing::Test {
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
    PendingRequest(RefreshingKeysTest& test, SharedKeySet keys_seen, std::chrono::milliseconds timeout = 60s)
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

  RefreshingKeys& create(RefreshIntervals times) {
    keys.emplace(std::make_unique<ScriptedDocument>(script), times, log);
    return *keys;
  }
  // Reads the first set and starts the background thread.
  RefreshingKeys& start_with_one(RefreshIntervals times) {
    script.set_text(one);
    RefreshingKeys& result = create(times);
    result.refresh();
    result.start();
    return result;
  }
  // Runs a request to its end.
  SharedKeySet refreshed(const SharedKeySet& seen, std::chrono::milliseconds timeout = 60s) {
    return PendingRequest(*this, seen, timeout).result().value();
  }
  [[nodiscard]] bool has_key(const char* kid) { return keys->current() && keys->current()->find(kid); }

  JsonLog log{LogLevel::error};
  SystemClock clock;
  SystemRandom random;
  Script script;
  std::optional<RefreshingKeys> keys;
};

TEST_F(RefreshingKeysTest, KeepsTheSetWhileTheTextIsUnchanged) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({.interval = 1ms});
  EXPECT_EQ(refreshing.current(), nullptr);
  EXPECT_FALSE(refreshing.status().age.has_value());
  refreshing.refresh();
  const SharedKeySet first = refreshing.current();
  ASSERT_TRUE(has_key("1"));
  refreshing.start();
  until([&] { return script.count() > 5; });
  EXPECT_EQ(refreshing.current(), first);
  script.set_text(two);
  until([&] { return has_key("2"); });
  EXPECT_FALSE(has_key("1"));
}

TEST_F(RefreshingKeysTest, WaitingRequestsShareOneFetch) {
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

TEST_F(RefreshingKeysTest, NoRequestWaitsForAFetchThatIsNotDue) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 1h});
  const SharedKeySet seen = refreshing.current();
  for (int i = 0; i < 100; ++i) {
    const PendingRequest request(*this, seen);
    ASSERT_TRUE(request.task.done()) << "it is not suspended";
  }
  EXPECT_EQ(script.count(), 1);
}

TEST_F(RefreshingKeysTest, ARequestWaitsAtMostUntilItsDeadlineAndTwoSeconds) {
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
TEST_F(RefreshingKeysTest, OneRefreshResumesAllWaitingRequests) {
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

TEST_F(RefreshingKeysTest, ARequestDuringAReadAlsoWaitsForTheNextRefresh) {
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

TEST_F(RefreshingKeysTest, ARequestDuringAReadWaitsForOneMoreRefreshOnly) {
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

TEST_F(RefreshingKeysTest, ARefreshThatIsRequestedDuringAReadFollowsIt) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 1h});
  int reads = 1;
  for (const bool fails : {false, true}) {
    script.hold(true);
    refreshing.request_refresh();
    until([&] { return script.count() == reads + 1; });
    if (fails) script.set_text(std::unexpected("gone"));
    refreshing.request_refresh();
    script.hold(false);
    until([&] { return script.count() == reads + 2; });
    reads += 2;
  }
}

TEST_F(RefreshingKeysTest, ARequestThatCannotWaitReturnsAndTheSetIsFetched) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms});
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = log, .frames = frames};
  EXPECT_EQ(run_ready(refreshing.refreshed(context, seen)).value(), seen);
  until([&] { return script.count() == 2; });
}

TEST_F(RefreshingKeysTest, ACancelledRequestFails) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 0ms, .max_wait = 1h});
  script.hold(true);
  PendingRequest request(*this, refreshing.current());
  ASSERT_FALSE(request.task.done());
  request.suspension.cancel();
  EXPECT_EQ(request.result(), std::unexpected(Failure::cancelled));
}

TEST_F(RefreshingKeysTest, ARequestThatIsCancelledBeforeItWaitsFailsImmediately) {
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

TEST_F(RefreshingKeysTest, ASpuriousWakeContinuesTheWait) {
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

TEST_F(RefreshingKeysTest, ADestroyedRequestIsNotWoken) {
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

TEST_F(RefreshingKeysTest, KeysStayInEffectUntilTheirMaximumAge) {
  script.set_text(one);
  RefreshingKeys& refreshing =
      create({.interval = 1ms, .min_interval = 1ms, .initial_backoff = 1ms, .max_age = std::chrono::milliseconds(300)});
  refreshing.refresh();
  script.set_text(std::unexpected("out of order"));
  refreshing.start();
  until([&] { return refreshing.status().consecutive_failures > 2 || !refreshing.current(); });
  until([&] { return refreshing.current() == nullptr; });
  EXPECT_GE(refreshing.status().failures, 1U);
  EXPECT_EQ(refreshing.status().keys, 0U);
  script.set_text(one);
  until([&] { return has_key("1"); });
  EXPECT_EQ(refreshing.status().consecutive_failures, 0U);
}

TEST_F(RefreshingKeysTest, TheStatusHasTheReasonOfTheLastFailureUntilASuccess) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({});
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "");
  script.set_text(std::unexpected("out of order"));
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "out of order");
  script.set_text(one);
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "");
}

// Returns the lines without their first members, time and level.
std::vector<std::string> events_of(const std::string& log) {
  std::vector<std::string> events;
  for (const auto line : std::views::split(log, '\n')) {
    const std::string_view text(line);
    if (!text.empty()) events.emplace_back(text.substr(text.find("\"event\"")));
  }
  return events;
}

TEST_F(RefreshingKeysTest, AFailureIsLoggedAgainIfItsReasonIsNew) {
  testing::internal::CaptureStderr();
  {
    JsonLog warnings{LogLevel::warning};
    RefreshingKeys refreshing(std::make_unique<ScriptedDocument>(script), {}, warnings);
    for (const char* const reason : {"out of order", "out of order", "moved", "moved"}) {
      script.set_text(std::unexpected(reason));
      refreshing.refresh();
    }
    warnings.flush();
  }
  const std::string start = R"("event":"key set not refreshed","detail":)";
  EXPECT_EQ(events_of(testing::internal::GetCapturedStderr()),
            (std::vector<std::string>{start + R"("out of order","consecutiveFailures":1,"keySetAgeSeconds":null})",
                                      start + R"("moved","consecutiveFailures":3,"keySetAgeSeconds":null})"}));
}

TEST_F(RefreshingKeysTest, AFailureIsLoggedAgainAfterASuccess) {
  script.set_text(one);
  testing::internal::CaptureStderr();
  {
    JsonLog everything{LogLevel::info};
    RefreshingKeys refreshing(std::make_unique<ScriptedDocument>(script), {}, everything);
    for (int i = 0; i < 2; ++i) {
      script.set_text(std::unexpected("out of order"));
      refreshing.refresh();
      script.set_text(one);
      refreshing.refresh();
      refreshing.refresh();
    }
    everything.flush();
  }
  const std::string failed =
      R"("event":"key set not refreshed","detail":"out of order","consecutiveFailures":1,"keySetAgeSeconds":)";
  const std::string refreshed = R"("event":"key set refreshed again","source":"script"})";
  const auto events = events_of(testing::internal::GetCapturedStderr());
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0], failed + "null}");
  EXPECT_EQ(events[1], R"("event":"key set loaded","source":"script","usable":"1","refused":"0"})");
  EXPECT_EQ(events[2], refreshed);
  EXPECT_TRUE(events[3].starts_with(failed) && events[3] != events[0]) << events[3];
  EXPECT_EQ(events[4], refreshed);
}

TEST_F(RefreshingKeysTest, TheDestructorStopsAFetch) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({.interval = 1ms});
  refreshing.refresh();
  script.hold(true);
  refreshing.start();
  until([&] { return script.count() == 2; });
  keys.reset();
}

}  // namespace
}  // namespace portail::keys
