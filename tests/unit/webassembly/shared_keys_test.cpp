// Instances share the fetched keys through their store, which may also be unavailable.
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/webassembly/fetched_keys_test.hpp"

namespace portail {
namespace {

TEST_F(FetchedKeysTest, OtherInstancesUseTheStoredSet) {
  request(keys_);
  for (int i = 0; i < 100; ++i) {
    FetchedKeys instance(plan(), store_, client_);
    request(instance);
    EXPECT_EQ(kid_of(instance.current()), "one");
  }
  EXPECT_EQ(client_.fetched, Names{"issuer.example/keys"});
}

TEST_F(FetchedKeysTest, AnotherInstanceThatFetchesIsWaitedFor) {
  client_.is_held = true;
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, false)));
  keys_.after_answer(test_.context);
  FetchedKeys other(plan(), store_, client_);
  client_.on_pause = [&] { client_.release(); };
  ASSERT_TRUE(run_ready(other.prepare(test_.context, true)));
  EXPECT_EQ(kid_of(other.current()), "one");
  EXPECT_EQ(client_.fetched.size(), 1);
}

TEST_F(FetchedKeysTest, AnInstanceThatEndsWhileItFetchesIsReplacedAfterItsTimeout) {
  client_.is_held = true;
  {
    FetchedKeys other(plan(), store_, client_);
    ASSERT_TRUE(run_ready(other.prepare(test_.context, false)));
    other.after_answer(test_.context);
  }
  client_.is_held = false;
  test_.clock.advance_seconds(11);
  request(keys_, false);
  EXPECT_EQ(client_.fetched.size(), 1);
  test_.clock.advance_seconds(1);
  request(keys_, false);
  EXPECT_EQ(client_.fetched.size(), 2);
  EXPECT_EQ(kid_of(keys_.current()), "one");
}

TEST_F(FetchedKeysTest, AHostThatEndsInstancesWithTheirAnswersFetchesBeforeOne) {
  request(keys_);
  publish("two");
  test_.clock.advance_seconds(300);
  client_.is_held = true;
  {
    FetchedKeys ended(plan(), store_, client_);
    request(ended);
    EXPECT_EQ(kid_of(ended.current()), "one");
  }
  client_.is_held = false;
  test_.clock.advance_seconds(11);
  FetchedKeys other(plan(), store_, client_);
  request(other);
  EXPECT_EQ(kid_of(other.current()), "one") << "the first one may still fetch";
  test_.clock.advance_seconds(1);
  FetchedKeys third(plan(), store_, client_);
  ASSERT_TRUE(run_ready(third.prepare(test_.context, true)));
  EXPECT_EQ(kid_of(third.current()), "two");
  EXPECT_EQ(client_.fetched.size(), 3);
}

TEST_F(FetchedKeysTest, WhereARefreshPrecedesTheAnswerOneRequestWaitsForIt) {
  FetchPlan before = plan();
  before.precedes_answer = true;
  request(keys_);
  publish("two");
  test_.clock.advance_seconds(300);
  FetchedKeys first(before, store_, client_);
  FetchedKeys second(before, store_, client_);
  client_.is_held = true;
  const Instant began = test_.clock.now();
  client_.on_pause = [&] {
    ASSERT_TRUE(run_ready(second.prepare(test_.context, true)));
    EXPECT_EQ(kid_of(second.current()), "one");
    client_.release();
  };
  ASSERT_TRUE(run_ready(first.prepare(test_.context, true)));
  EXPECT_EQ(test_.clock.now().microseconds - began.microseconds, 20'000) << "only the first one paused";
  EXPECT_EQ(kid_of(first.current()), "two");
  first.after_answer(test_.context);
  EXPECT_EQ(client_.fetched.size(), 2);
}

TEST_F(FetchedKeysTest, TheSetOfAnotherSourceIsNotUsed) {
  request(keys_);
  client_.answers.insert_or_assign("other.example/keys?secret=1", HttpAnswer{200, key_set("two")});
  FetchedKeys other(plan("https://other.example/keys?secret=1"), store_, client_);
  ASSERT_TRUE(run_ready(other.prepare(test_.context, false)));
  EXPECT_FALSE(other.current());
  other.after_answer(test_.context);
  EXPECT_EQ(kid_of(other.current()), "two");
  EXPECT_TRUE(stored().contains(key_set("one"))) << "each source has a record of its own";
  FetchedKeys third(plan("https://other.example/keys?secret=2"), store_, client_);
  ASSERT_TRUE(run_ready(third.prepare(test_.context, false)));
  EXPECT_FALSE(third.current());
}

TEST_F(FetchedKeysTest, AStoreThatCannotBeWrittenLetsEachInstanceFetch) {
  store_.is_read_only = true;
  request(keys_);
  EXPECT_EQ(kid_of(keys_.current()), "one");
  EXPECT_EQ(test_.log.lines,
            Names{"key set not refreshed: the set could not be stored: each instance fetches its own"});
  for (int i = 0; i < 10; ++i) {
    test_.clock.advance_seconds(29);
    request(keys_);
  }
  EXPECT_EQ(client_.fetched.size(), 1);
  EXPECT_EQ(stored(), "none");
}

TEST_F(FetchedKeysTest, WithoutTheStoreNothingIsFetchedAndTheKeysStay) {
  request(keys_);
  store_.is_down = true;
  test_.clock.advance_seconds(300);
  request(keys_);
  EXPECT_EQ(kid_of(refreshed(keys_)), "one");
  EXPECT_EQ(client_.fetched.size(), 1);
  FetchedKeys other(plan(), store_, client_);
  request(other);
  EXPECT_FALSE(other.current());
  EXPECT_EQ(client_.fetched.size(), 1);
}

TEST_F(FetchedKeysTest, AClockThatWasSetBackDoesNotDelayARefresh) {
  request(keys_);
  test_.clock.advance_seconds(-86'400);
  FetchedKeys other(plan(), store_, client_);
  request(other, false);
  EXPECT_EQ(client_.fetched.size(), 2);
}

TEST_F(FetchedKeysTest, ARequestReadsTheStoreOnceAtMost) {
  request(keys_);
  FetchedKeys other(plan(), store_, client_);
  store_.opened = 0;
  request(other);
  EXPECT_EQ(store_.opened, 1);
  test_.clock.advance_seconds(29);
  request(other);
  EXPECT_EQ(store_.opened, 1);
}

}  // namespace
}  // namespace portail
