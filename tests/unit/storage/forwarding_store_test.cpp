#include "core/storage/forwarding_store.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

// One call is overridden, the others are forwarded.
class RefusingStore : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Task<void> write(Context&, std::span<const Change>) override { co_await std::unexpected(Failure::unavailable); }
};

class CountingSession : public ForwardingSession {
 public:
  CountingSession(std::unique_ptr<Session> target, int& batches)
      : ForwardingSession(std::move(target)), batches_(batches) {}
  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    ++batches_;
    return ForwardingSession::get(context, keys, values);
  }

 private:
  int& batches_;
};

struct Collected : Visitor {
  bool visit(std::string_view key, std::string_view value) override {
    text += std::string(key) + '=' + std::string(value) + ';';
    return true;
  }
  std::string text;
};

TEST(ForwardingStore, ForwardsEveryCall) {
  TestContext test;
  MemoryStore memory;
  ForwardingStore store(memory);
  EXPECT_TRUE(store.traits().snapshots && store.traits().compare_and_swap && store.traits().atomic_batches);
  const Change change{"a", "1"};
  ASSERT_TRUE(run_ready(store.write(test.context, std::span(&change, 1))));
  EXPECT_EQ(run_ready(store.compare_and_swap(test.context, "a", "1", "2")), true);
  auto session = run_ready(store.open(test.context));
  const std::string_view key = "a";
  Value value;
  ASSERT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))));
  EXPECT_EQ(value, "2");
  Collected collected;
  ASSERT_TRUE(run_ready(store.scan(test.context, "", collected)));
  EXPECT_EQ(collected.text, "a=2;");
}

TEST(ForwardingStore, SupportsOverridingOneCall) {
  TestContext test;
  MemoryStore memory;
  RefusingStore store(memory);
  const Change change{"a", "1"};
  EXPECT_EQ(run_ready(store.write(test.context, std::span(&change, 1))), std::unexpected(Failure::unavailable));
  EXPECT_EQ(run_ready(store.compare_and_swap(test.context, "a", std::nullopt, "1")), true);
}

TEST(ForwardingSession, SupportsCountingReads) {
  TestContext test;
  MemoryStore memory;
  int batches = 0;
  CountingSession session(*run_ready(memory.open(test.context)), batches);
  const std::string_view key = "a";
  Value value = "left over";
  ASSERT_TRUE(run_ready(session.get(test.context, std::span(&key, 1), std::span(&value, 1))));
  EXPECT_EQ(value, std::nullopt);
  EXPECT_EQ(batches, 1);
}

}  // namespace
}  // namespace portail
