// When an instance fetches its keys, which requests wait for them, and which documents are refused.
#include "tests/unit/webassembly/fetched_keys_test.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST_F(FetchedKeysTest, ARequestWithATokenWaitsForTheFirstKeys) {
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, true)));
  EXPECT_EQ(kid_of(keys_.current()), "one");
  EXPECT_EQ(client_.fetched, Names{"issuer.example/keys"});
  EXPECT_EQ(client_.timeouts, std::vector<std::int64_t>{10'000'000});
  EXPECT_EQ(stored(), "keys 1\nhttps://issuer.example/keys\n1768478400000000 1768478400000000 0 0\n" + key_set("one"));
}

TEST_F(FetchedKeysTest, ARequestWithoutATokenWaitsForNothing) {
  client_.is_held = true;
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, false)));
  EXPECT_EQ(client_.fetched, Names{}) << "nothing is sent before the answer";
  keys_.after_answer(test_.context);
  EXPECT_EQ(client_.fetched, Names{"issuer.example/keys"});
  EXPECT_FALSE(keys_.current());
  client_.release();
  EXPECT_EQ(kid_of(keys_.current()), "one");
}

TEST_F(FetchedKeysTest, ARefreshIsDueAfterTheIntervalAndNoAnswerWaitsForIt) {
  request(keys_);
  const SharedKeySet before = keys_.current();
  test_.clock.advance_seconds(299);
  request(keys_);
  EXPECT_EQ(client_.fetched.size(), 1);
  test_.clock.advance_seconds(1);
  publish("two");
  client_.is_held = true;
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, true)));
  EXPECT_EQ(client_.fetched.size(), 1);
  keys_.after_answer(test_.context);
  EXPECT_EQ(client_.fetched.size(), 2);
  request(keys_);
  EXPECT_EQ(keys_.current(), before) << "the same object, while the fetch goes on";
  client_.release();
  EXPECT_EQ(kid_of(keys_.current()), "two");
  EXPECT_EQ(client_.fetched.size(), 2) << "one fetch for all";
}

TEST_F(FetchedKeysTest, AnUnchangedSetStaysTheSameObject) {
  request(keys_);
  const SharedKeySet before = keys_.current();
  test_.clock.advance_seconds(300);
  request(keys_);
  EXPECT_EQ(client_.fetched.size(), 2);
  EXPECT_EQ(keys_.current(), before);
}

TEST_F(FetchedKeysTest, ATokenWithAnUnknownKeyWaitsForOneFetchAnInterval) {
  request(keys_);
  publish("two");
  test_.clock.advance_seconds(10);
  EXPECT_EQ(kid_of(refreshed(keys_)), "one");
  EXPECT_EQ(client_.fetched.size(), 1) << "the last fetch began less than 30 s ago";
  test_.clock.advance_seconds(20);
  EXPECT_EQ(kid_of(refreshed(keys_)), "two");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(kid_of(refreshed(keys_)), "two");
  EXPECT_EQ(client_.fetched.size(), 2);
}

TEST_F(FetchedKeysTest, ATokenWaitsIfTheNextFetchIsSoon) {
  request(keys_);
  publish("two");
  test_.clock.advance_seconds(29);
  EXPECT_EQ(kid_of(refreshed(keys_)), "two");
  EXPECT_EQ(client_.fetched.size(), 2);
}

TEST_F(FetchedKeysTest, AllWaitingRequestsShareOneFetch) {
  request(keys_);
  test_.clock.advance_seconds(60);
  publish("two");
  client_.is_held = true;
  int pauses = 0;
  client_.on_pause = [&] {
    if (++pauses == 3) client_.release();
  };
  const SharedKeySet before = keys_.current();
  EXPECT_EQ(kid_of(run_ready(keys_.refreshed(test_.context, before)).value()), "two");
  EXPECT_EQ(kid_of(run_ready(keys_.refreshed(test_.context, before)).value()), "two");
  EXPECT_EQ(pauses, 3);
  EXPECT_EQ(client_.fetched.size(), 2);
}

TEST_F(FetchedKeysTest, ARequestWaitsTwoSecondsAndTheFetchGoesOn) {
  client_.is_held = true;
  const Instant began = test_.clock.now();
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, true)));
  EXPECT_FALSE(keys_.current());
  EXPECT_EQ(test_.clock.now().microseconds - began.microseconds, 2'000'000);
  client_.release();
  EXPECT_EQ(kid_of(keys_.current()), "one");
  EXPECT_EQ(client_.fetched.size(), 1);
}

TEST_F(FetchedKeysTest, TheDeadlineOfARequestEndsItsWait) {
  client_.is_held = true;
  const Instant began = test_.clock.now();
  test_.context.deadline = {began.microseconds + 70'000};
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, true)));
  EXPECT_EQ(test_.clock.now().microseconds - began.microseconds, 70'000);
}

TEST_F(FetchedKeysTest, AHostThatBlocksFetchesForTwoSecondsBeforeAnAnswerAndLongerAfterIt) {
  client_.can_continue = false;
  client_.answers.clear();
  request(keys_);
  test_.clock.advance_seconds(1);
  request(keys_, false);
  EXPECT_EQ(client_.timeouts, (std::vector<std::int64_t>{2'000'000, 10'000'000}));
}

TEST_F(FetchedKeysTest, TheKeysServeWhileTheirSourceIsAwayAndThenExpire) {
  request(keys_);
  client_.answers.clear();
  test_.clock.advance_seconds(300);
  request(keys_);
  EXPECT_EQ(test_.log.lines, Names{"key set not refreshed: cannot fetch https://issuer.example/keys: cannot connect"});
  test_.clock.advance_seconds(86'400 - 301);
  request(keys_);
  EXPECT_EQ(kid_of(keys_.current()), "one");
  test_.clock.advance_seconds(1);
  ASSERT_TRUE(run_ready(keys_.prepare(test_.context, false)));
  EXPECT_FALSE(keys_.current());
  publish("two");
  test_.clock.advance_seconds(300);
  request(keys_);
  EXPECT_EQ(kid_of(keys_.current()), "two");
}

TEST_F(FetchedKeysTest, FailuresAreRepeatedAtDoubledIntervals) {
  client_.answers.clear();
  std::vector<std::int64_t> attempts;
  const Instant began = test_.clock.now();
  for (std::size_t known = 0; attempts.size() < 8; known = client_.fetched.size()) {
    request(keys_, false);
    if (client_.fetched.size() > known)
      attempts.push_back((test_.clock.now().microseconds - began.microseconds) / 1'000'000);
    test_.clock.advance_seconds(1);
  }
  EXPECT_EQ(attempts, (std::vector<std::int64_t>{0, 1, 3, 7, 15, 31, 61, 91}));
}

TEST_F(FetchedKeysTest, AnswersThatAreNoKeySetAreRefused) {
  const auto line_for = [&](HttpResult answer) {
    client_.answers.insert_or_assign("issuer.example/keys", std::move(answer));
    test_.log.lines.clear();
    test_.clock.advance_seconds(60);
    request(keys_, false);
    return test_.log.lines.empty() ? "none" : test_.log.lines.back();
  };
  const std::string begin = "key set not refreshed: cannot fetch https://issuer.example/keys: ";
  EXPECT_EQ(line_for(HttpAnswer{500, "{}"}), begin + "answered 500");
  EXPECT_EQ(line_for(HttpAnswer{302, ""}), begin + "answered 302, and redirects are not followed");
  EXPECT_EQ(line_for(HttpAnswer{204, ""}), begin + "answered 204, and only 200 has the document: check its address");
  EXPECT_EQ(line_for(HttpAnswer{200, std::string(256 * 1024 + 1, ' ')}), begin + "it is larger than 256 KiB");
  EXPECT_EQ(line_for(std::unexpected("connection refused")), begin + "connection refused");
  EXPECT_EQ(
      line_for(HttpAnswer{200, "<html>"}),
      "key set not refreshed: the key set https://issuer.example/keys cannot be used: not a JWK set: malformed JSON");
  EXPECT_EQ(line_for(HttpAnswer{200, R"({"keys":[])" + std::string(256 * 1024 - 11, ' ') + "}"}),
            "key set not refreshed: the key set https://issuer.example/keys is too large to be stored");
  EXPECT_FALSE(keys_.current());
  EXPECT_EQ(line_for(HttpAnswer{200, key_set("one")}), "none");
  EXPECT_EQ(kid_of(keys_.current()), "one");
}

TEST_F(FetchedKeysTest, ADiscoveryDocumentNamesTheSet) {
  FetchedKeys keys(plan("https://issuer.example/.well-known/openid-configuration"), store_, client_);
  const auto publish_discovery = [&](std::string_view issuer, std::string_view uri) {
    client_.answers.insert_or_assign(
        "issuer.example/.well-known/openid-configuration",
        HttpAnswer{200, R"({"issuer":")" + std::string(issuer) + R"(","jwks_uri":")" + std::string(uri) + "\"}"});
  };
  publish_discovery("https://other.example", "https://issuer.example/keys");
  request(keys, false);
  publish_discovery("https://issuer.example", "http://127.0.0.1/keys");
  test_.clock.advance_seconds(60);
  request(keys, false);
  const std::string begin =
      "key set not refreshed: https://issuer.example/.well-known/openid-configuration cannot be used: ";
  EXPECT_EQ(test_.log.lines, (Names{"key set: not fetched yet: the first fetch follows this answer",
                                    begin + "its issuer is https://other.example, not the configured one",
                                    begin + "its jwks_uri is not an https URL: http://127.0.0.1/keys"}));
  publish_discovery("https://issuer.example", "https://issuer.example/keys");
  test_.clock.advance_seconds(60);
  request(keys, false);
  EXPECT_EQ(kid_of(keys.current()), "one");
  EXPECT_EQ(client_.fetched.back(), "issuer.example/keys");
}

}  // namespace
}  // namespace portail
