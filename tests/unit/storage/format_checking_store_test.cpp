#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/format.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

constexpr std::string_view newer_line =
    "the store was written by a newer version of portail: use that version, or import into a new store";

struct Checked {
  void set_format(Value value) {
    const Change change{"format", value};
    EXPECT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))));
  }
  Result<void> open() {
    auto session = run_ready(store.open(test.context));
    return session ? Result<void>() : std::unexpected(session.error());
  }

  TestContext test;
  MemoryStore memory;
  FormatCheckingStore store{memory};
};

TEST(FormatCheckingStore, OpensAStoreOfThisVersion) {
  Checked checked;
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
  EXPECT_TRUE(checked.test.log.lines.empty());
}

TEST(FormatCheckingStore, OpensAnEmptyStore) {
  Checked checked;
  EXPECT_TRUE(checked.open());
  EXPECT_TRUE(checked.test.log.lines.empty());
}

TEST(FormatCheckingStore, RefusesAnEmptyStoreByPolicyUntilItIsFilled) {
  Checked checked;
  FormatCheckingStore store(checked.memory, EmptyStorePolicy::refuse);
  for (int i = 0; i < 2; ++i) {
    const auto session = run_ready(store.open(checked.test.context));
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error(), Failure::unavailable);
  }
  EXPECT_EQ(checked.test.log.lines,
            (std::vector<std::string>{"store refused: the store is empty: import a document first"}))
      << "logged once";
  checked.set_format("1");
  EXPECT_TRUE(run_ready(store.open(checked.test.context)));
}

TEST(FormatCheckingStore, RefusesANewerStoreUntilItIsReplaced) {
  Checked checked;
  checked.set_format("2");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.test.log.lines, (std::vector<std::string>{"store refused: " + std::string(newer_line)}))
      << "logged once";
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
}

TEST(FormatCheckingStore, OpensAStoreOfALaterMinorVersionWithOneWarning) {
  Checked checked;
  checked.set_format("1.999");
  EXPECT_TRUE(checked.open());
  EXPECT_TRUE(checked.open());
  EXPECT_EQ(checked.test.log.lines,
            (std::vector<std::string>{"newer store: the store was written by a newer version of portail: this version "
                                      "ignores its new fields and grants, and cannot import into it"}));
}

TEST(FormatCheckingStore, RefusesAnotherProgramsData) {
  Checked checked;
  checked.set_format("one");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  ASSERT_EQ(checked.test.log.lines.size(), 1u);
  EXPECT_EQ(checked.test.log.lines[0],
            "store refused: the store contains other data than portail's: name another store, or import into a "
            "new one");
}

TEST(FormatCheckingStore, ChecksAnEmptyStoreAgain) {
  Checked checked;
  EXPECT_TRUE(checked.open());
  checked.set_format("2");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
}

// One check is enough, so that later requests of a process need no further read.
TEST(FormatCheckingStore, ChecksAValidStoreOnce) {
  Checked checked;
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
  checked.set_format("2");
  EXPECT_TRUE(checked.open());
}

// Also an empty store is refused from then on: clients must not get empty lists for lost data.
TEST(FormatCheckingStore, RefusesAStoreThatWasEmptied) {
  Checked checked;
  EXPECT_TRUE(checked.open()) << "it is accepted while it was never filled";
  checked.set_format("1");
  const auto session = run_ready(checked.store.open(checked.test.context));
  ASSERT_TRUE(session);
  const std::string_view key = "grants";
  Value value;
  const auto get = [&](Session& from) {
    return run_ready(from.get(checked.test.context, std::span(&key, 1), std::span(&value, 1)));
  };
  EXPECT_TRUE(get(**session)) << "a missing value of a portal";
  checked.set_format(std::nullopt);
  const auto opened = run_ready(checked.store.open(checked.test.context));
  ASSERT_TRUE(opened);
  EXPECT_EQ(get(**opened), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.test.log.lines,
            (std::vector<std::string>{"store refused: the store is empty: import a document first"}))
      << "logged once";
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
}

}  // namespace
}  // namespace portail
