// The levels of calls that wait for a connection.
#include "native/stores/postgres/postgres_pending_calls.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/test_context.hpp"

namespace portail::postgres {
namespace {

constexpr auto first = PendingCalls::first_transaction;
constexpr auto another = PendingCalls::another_transaction;
constexpr auto single = PendingCalls::single_statement;

CallPtr call_of(const void* request) {
  Query query;
  query.request_id = request;
  return std::make_shared<Call>(std::move(query));
}

std::string fault_of(CallPtr call) {
  TestContext test;
  const auto outcome = run_ready(Call::wait(test.context, std::move(call)));
  return outcome && !*outcome ? outcome->error().message : "none";
}

TEST(PostgresPendingCalls, ALevelMayUseOneConnectionMoreThanTheLevelBefore) {
  for (const std::size_t level : {first, another, single}) {
    EXPECT_TRUE(PendingCalls::is_allowed(level, 0, 1)) << level;
    EXPECT_FALSE(PendingCalls::is_allowed(level, 1, 1)) << level;
  }
  EXPECT_FALSE(PendingCalls::is_allowed(first, 1, 3));
  EXPECT_TRUE(PendingCalls::is_allowed(first, 1, 4));
  EXPECT_FALSE(PendingCalls::is_allowed(another, 1, 2));
  EXPECT_TRUE(PendingCalls::is_allowed(another, 1, 3));
  EXPECT_TRUE(PendingCalls::is_allowed(single, 1, 2));
}

TEST(PostgresPendingCalls, HaveTheCallsOfEachLevel) {
  const int request = 0;
  const int other = 0;
  PendingCalls calls;
  EXPECT_TRUE(calls.empty());
  calls.queue(another).push(1, call_of(&request));
  calls.queue(single).push(2, call_of(nullptr));
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_TRUE(calls.has_call_of(&request));
  EXPECT_FALSE(calls.has_call_of(&other));
  calls.erase_if([&request](const CallPtr& call) { return call->query.request_id == &request; });
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_FALSE(calls.has_call_of(&request));
}

TEST(PostgresPendingCalls, FailTogether) {
  PendingCalls calls;
  const CallPtr one = call_of(nullptr);
  const CallPtr two = call_of(nullptr);
  calls.queue(first).push(1, one);
  calls.queue(single).push(1, two);
  calls.fail({.message = "no server"});
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(fault_of(one), "no server");
  EXPECT_EQ(fault_of(two), "no server");
}

}  // namespace
}  // namespace portail::postgres
