#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/memory_store.hpp"
#include "core/webassembly/guest_keys.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

constexpr std::string_view one_key =
    R"({"keys":[{"kty":"oct","kid":"one","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]})";

// A store whose open() waits until answer().
class SlowStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override {
    ++opened;
    co_await Wait(waiting_);
    co_return co_await target().open(context);
  }
  void answer() {
    for (const auto handle : std::exchange(waiting_, {})) handle.resume();
  }

  int opened = 0;

 private:
  using Waiting = std::vector<std::coroutine_handle<>>;
  struct Wait : std::suspend_always {
    explicit Wait(Waiting& all) : waiting(all) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { std::erase(waiting, handle); }
    void await_suspend(std::coroutine_handle<> awaiting) {
      handle = awaiting;
      waiting.push_back(handle);
    }
    Waiting& waiting;
    std::coroutine_handle<> handle;
  };
  Waiting waiting_;
};

class StoredKeysTest : public testing::Test {
 protected:
  void put(Value value) {
    const Change change{"config.jwks", value};
    ASSERT_TRUE(run_ready(values_.write(test_.context, std::span(&change, 1))));
  }
  Task<void> started() {
    auto task = keys_.prepare(test_.context, false);
    task.start([](void*) {}, nullptr);
    return task;
  }
  void read_once() {
    const auto task = started();
    store_.answer();
    ASSERT_TRUE(task.done());
  }

  TestContext test_;
  MemoryStore values_;
  SlowStore store_{values_};
  StoredKeys keys_{std::nullopt, store_};
};

TEST_F(StoredKeysTest, AllRequestsWaitForTheFirstSet) {
  put(one_key);
  const auto first = started();
  const auto second = started();
  EXPECT_FALSE(first.done());
  EXPECT_FALSE(second.done());
  store_.answer();
  EXPECT_TRUE(first.done());
  EXPECT_TRUE(second.done());
  ASSERT_TRUE(keys_.current());
  EXPECT_EQ(keys_.current()->size(), 1);
}

TEST_F(StoredKeysTest, ACancelledFirstReadIsRepeated) {
  put(one_key);
  {
    const auto cancelled = started();
  }
  read_once();
  ASSERT_TRUE(keys_.current());
  EXPECT_EQ(store_.opened, 2);
}

TEST_F(StoredKeysTest, DuringAReadOtherRequestsUseTheOldSet) {
  put(one_key);
  read_once();
  test_.clock.advance_seconds(29);
  EXPECT_TRUE(started().done());
  EXPECT_EQ(store_.opened, 1);
  test_.clock.advance_seconds(1);
  const auto reading = started();
  EXPECT_FALSE(reading.done());
  EXPECT_TRUE(started().done());
  EXPECT_EQ(store_.opened, 2);
}

TEST_F(StoredKeysTest, WithoutKeysTheSetIsReadEverySecondAndLoggedOnce) {
  const auto first = started();
  const auto second = started();
  store_.answer();
  EXPECT_TRUE(started().done());
  EXPECT_FALSE(keys_.current());
  test_.clock.advance_seconds(1);
  read_once();
  EXPECT_EQ(test_.log.lines,
            std::vector<std::string>{"key set: missing: store it as config.jwks, or in the setting jwks"});
  put(one_key);
  test_.clock.advance_seconds(1);
  read_once();
  EXPECT_TRUE(keys_.current());
}

TEST_F(StoredKeysTest, DiagnosticsAreLoggedOnceAtTheSecondRead) {
  put(R"({"keys":[{"kty":"oct","kid":"one","use":"enc","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]})");
  read_once();
  EXPECT_EQ(test_.log.lines, std::vector<std::string>{}) << "an instance may have one request only";
  for (int time = 0; time < 2; ++time) {
    test_.clock.advance_seconds(30);
    read_once();
    EXPECT_EQ(test_.log.lines, std::vector<std::string>{R"(key refused: keys[0] "one": its use is not sig)"});
  }
}

TEST_F(StoredKeysTest, DiagnosticsOfAConfiguredSetAreLoggedOnceAtTheSecondRequest) {
  auto loaded = load_key_set(
      R"({"keys":[{"kty":"oct","kid":"one","use":"enc","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]})");
  ASSERT_TRUE(loaded);
  StoredKeys keys(std::move(*loaded), store_);
  const auto refresh = [&] { EXPECT_TRUE(run_ready(keys.prepare(test_.context, false))); };
  refresh();
  EXPECT_EQ(test_.log.lines, std::vector<std::string>{}) << "an instance may have one request only";
  refresh();
  refresh();
  EXPECT_EQ(test_.log.lines, std::vector<std::string>{R"(key refused: keys[0] "one": its use is not sig)"});
}

TEST_F(StoredKeysTest, TheSameTextIsLoadedAgainAfterItWasRemoved) {
  for (int time = 0; time < 2; ++time) {
    put(one_key);
    test_.clock.advance_seconds(30);
    read_once();
    EXPECT_TRUE(keys_.current());
    put(std::nullopt);
    test_.clock.advance_seconds(30);
    read_once();
    EXPECT_FALSE(keys_.current());
  }
}

TEST_F(StoredKeysTest, AnInvalidKeySetIsLoggedOnceAndIgnored) {
  put(one_key);
  read_once();
  const SharedKeySet before = keys_.current();
  put("{");
  for (int reading = 0; reading < 2; ++reading) {
    test_.clock.advance_seconds(30);
    read_once();
    EXPECT_EQ(keys_.current(), before);
  }
  EXPECT_EQ(test_.log.lines, std::vector<std::string>{"key set: not a JWK set: malformed JSON"});
}

TEST_F(StoredKeysTest, KeysExpireADayAfterTheirTextIsInvalid) {
  put(one_key);
  read_once();
  put("{");
  test_.clock.advance_seconds(86'399);
  read_once();
  EXPECT_TRUE(keys_.current());
  test_.clock.advance_seconds(30);
  read_once();
  EXPECT_FALSE(keys_.current());
  put(one_key);
  test_.clock.advance_seconds(1);
  read_once();
  EXPECT_TRUE(keys_.current());
  EXPECT_EQ(test_.log.lines,
            (std::vector<std::string>{"key set: not a JWK set: malformed JSON",
                                      "key set: too old: no key is used until config.jwks is a valid key set again"}));
}

TEST_F(StoredKeysTest, KeysThatAreReadAgainDoNotExpire) {
  put(one_key);
  read_once();
  for (int reading = 0; reading < 3; ++reading) {
    test_.clock.advance_seconds(86'399);
    read_once();
    EXPECT_TRUE(keys_.current());
  }
  test_.clock.advance_seconds(86'400);
  read_once();
  EXPECT_TRUE(keys_.current()) << "the new read counts";
}

TEST_F(StoredKeysTest, AnEmptyTextIsLogged) {
  put("");
  read_once();
  EXPECT_EQ(test_.log.lines, std::vector<std::string>{"key set: not a JWK set: no JSON value"});
}

TEST_F(StoredKeysTest, AClockThatWasSetBackCausesARead) {
  put(one_key);
  test_.clock.advance_seconds(1'000'000);
  read_once();
  test_.clock.advance_seconds(-1'000'000);
  EXPECT_FALSE(started().done());
}

}  // namespace
}  // namespace portail
