#include "native/stores/format_revalidating_store.hpp"

#include <memory>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

struct Revalidated {
  void set_format(Value version) {
    const Change change{"format", version};
    EXPECT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))));
  }
  Result<void> read() {
    const auto session = run_ready(store.open(test.context));
    const std::string_view key = "droits";
    Value value;
    return run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1)));
  }

  CountingContext test;
  MemoryStore memory;
  FormatRevalidatingStore store{memory, false};
};

TEST(FormatRevalidatingStore, RefusesAStoreThatWasEmptied) {
  for (const std::string_view version : {"1", "1.999"}) {
    Revalidated revalidated;
    EXPECT_TRUE(revalidated.read()) << "it was never filled";
    revalidated.set_format(version);
    EXPECT_TRUE(revalidated.read()) << version;
    revalidated.set_format(std::nullopt);
    EXPECT_EQ(revalidated.read(), std::unexpected(Failure::unavailable)) << version;
    revalidated.set_format("1");
    EXPECT_TRUE(revalidated.read());
  }
}

// Each batch is of the store's state at that time.
class WithoutSnapshots final : public ForwardingStore {
  class LatestSession final : public Session {
   public:
    explicit LatestSession(KeyValueStore& store) : store_(store) {}
    Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
      session_ = co_await store_.open(context);
      co_await session_->get(context, keys, values);
    }

   private:
    KeyValueStore& store_;
    std::unique_ptr<Session> session_;
  };

 public:
  using ForwardingStore::ForwardingStore;
  [[nodiscard]] Traits traits() const override { return {}; }
  Task<std::unique_ptr<Session>> open(Context&) override { co_return std::make_unique<LatestSession>(target()); }
};

TEST(FormatRevalidatingStore, RefusesAStoreThatIsEmptiedDuringASession) {
  CountingContext test;
  MemoryStore memory;
  WithoutSnapshots target(memory);
  FormatRevalidatingStore store(target, true);
  const std::string_view key = "droits";
  Value value;
  for (const bool is_emptied : {false, true}) {
    Change change{"format", "1"};
    ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))));
    const auto session = run_ready(store.open(test.context));
    ASSERT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))));
    change.value = std::nullopt;
    if (is_emptied) {
      ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))));
    }
    EXPECT_EQ(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))),
              is_emptied ? Result<void>(std::unexpected(Failure::unavailable)) : Result<void>());
  }
}

TEST(FormatRevalidatingStore, TellsWhetherTheLastWriteSucceeded) {
  Revalidated revalidated;
  EXPECT_TRUE(revalidated.store.accepts_writes());
  revalidated.store.set_accepts_writes(false);
  EXPECT_FALSE(revalidated.store.accepts_writes());
  const Change change{"a", "b"};
  EXPECT_TRUE(run_ready(revalidated.store.write(revalidated.test.context, std::span(&change, 1))));
  EXPECT_TRUE(revalidated.store.accepts_writes());
}

}  // namespace
}  // namespace portail
