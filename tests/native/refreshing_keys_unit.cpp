// The background refresh, with a document that the test answers for.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
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
    return script_.text;
  }

 private:
  Script& script_;
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
  RefreshingKeys& make(RefreshTimes times, std::size_t most_waiting = 8) {
    keys.emplace(std::make_unique<ScriptedDocument>(script), times, most_waiting, log);
    return *keys;
  }
  // What a request does for a token of an unknown key; blocks.
  SharedKeySet ask(const SharedKeySet& seen, std::chrono::milliseconds patience = 60s) {
    FrameArena frames;
    Context context{.clock = clock,
                    .random = random,
                    .log = log,
                    .frames = frames,
                    .deadline = {clock.now().microseconds + patience / 1us}};
    return run_ready(keys->refreshed(context, seen)).value();
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
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1h, .pause = 0ms});
  refreshing.refresh();
  refreshing.start();
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
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1h, .pause = 1h});
  refreshing.refresh();
  refreshing.start();
  const auto began = steady_clock::now();
  const SharedKeySet seen = refreshing.current();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ask(seen), seen);
  EXPECT_LT(steady_clock::now() - began, 60s) << "2 s each would be 200 s";
  EXPECT_EQ(script.count(), 1);
}

TEST_F(RefreshingKeysTest, ARequestWaitsNoLongerThanItsDeadlineAndTwoSeconds) {
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1h, .pause = 0ms});
  refreshing.refresh();
  refreshing.start();
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

TEST_F(RefreshingKeysTest, OnlySoManyWait) {
  script.say(one);
  RefreshingKeys& refreshing = make({.interval = 1h, .pause = 0ms}, 0);
  refreshing.refresh();
  refreshing.start();
  script.hold(true);
  const SharedKeySet seen = refreshing.current();
  EXPECT_EQ(ask(seen), seen);
  until([&] { return script.count() == 2; });
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
