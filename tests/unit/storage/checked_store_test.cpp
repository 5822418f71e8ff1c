#include "core/storage/checked_store.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

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
  CheckedStore store{memory};
};

TEST(CheckedStore, OpensWhatThisProgramWrote) {
  Checked checked;
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
  EXPECT_TRUE(checked.test.log.lines.empty());
}

TEST(CheckedStore, OpensAnEmptyStore) {
  Checked checked;
  EXPECT_TRUE(checked.open());
  EXPECT_TRUE(checked.test.log.lines.empty());
}

TEST(CheckedStore, RefusesAnEmptyStoreWhereItIsToldToUntilItIsFilled) {
  Checked checked;
  CheckedStore store(checked.memory, EmptyStore::refused);
  for (int i = 0; i < 2; ++i) {
    const auto session = run_ready(store.open(checked.test.context));
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error(), Failure::unavailable);
  }
  EXPECT_EQ(checked.test.log.lines,
            (std::vector<std::string>{"store refused: the store is empty: import a document first"}))
      << "said once";
  checked.set_format("1");
  EXPECT_TRUE(run_ready(store.open(checked.test.context)));
}

TEST(CheckedStore, RefusesANewerOneUntilItIsMended) {
  Checked checked;
  checked.set_format("2");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  EXPECT_EQ(checked.test.log.lines, (std::vector<std::string>{"store refused: " + std::string(newer_line)}))
      << "said once";
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
}

TEST(CheckedStore, RefusesAnotherProgramsData) {
  Checked checked;
  checked.set_format("one");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
  ASSERT_EQ(checked.test.log.lines.size(), 1u);
  EXPECT_EQ(checked.test.log.lines[0],
            "store refused: the store holds something else than portail's data: name another store, or import into a "
            "new one");
}

TEST(CheckedStore, LooksAgainAtAStoreThatWasEmpty) {
  Checked checked;
  EXPECT_TRUE(checked.open());
  checked.set_format("2");
  EXPECT_EQ(checked.open(), std::unexpected(Failure::unavailable));
}

// Once is enough, so that a request in a warm process costs no further read.
TEST(CheckedStore, DoesNotLookAgainAtOneThatItKnows) {
  Checked checked;
  checked.set_format("1");
  EXPECT_TRUE(checked.open());
  checked.set_format("2");
  EXPECT_TRUE(checked.open());
}

}  // namespace
}  // namespace portail
