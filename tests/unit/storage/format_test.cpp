#include "core/storage/format.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/storage/forwarding_store.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

FormatState state_of(Value stored) {
  TestContext test;
  MemoryStore store;
  const Change change{"format", stored};
  EXPECT_TRUE(run_ready(store.write(test.context, std::span(&change, 1))));
  auto session = run_ready(store.open(test.context));
  return run_ready(read_format(test.context, **session)).value();
}

TEST(Format, IsAbsentFromAnEmptyStore) { EXPECT_EQ(state_of(std::nullopt), FormatState::absent); }
TEST(Format, TheProgramsOwnIsCurrent) { EXPECT_EQ(state_of(current_format), FormatState::current); }

TEST(Format, AHigherNumberIsNewer) {
  EXPECT_EQ(state_of("2"), FormatState::newer);
  EXPECT_EQ(state_of("10"), FormatState::newer);
  EXPECT_EQ(state_of("18446744073709551616"), FormatState::newer);
}

TEST(Format, AHigherMinorNumberIsReadable) {
  EXPECT_EQ(format_state("1", "1"), FormatState::current);
  EXPECT_EQ(format_state("1.1", "1"), FormatState::newer_minor);
  EXPECT_EQ(format_state("1.20", "1"), FormatState::newer_minor);
  EXPECT_EQ(state_of("2.1"), FormatState::newer);
  EXPECT_TRUE(is_readable(FormatState::newer_minor));
  EXPECT_FALSE(is_readable(FormatState::newer));
  EXPECT_FALSE(is_readable(FormatState::unknown));
}

TEST(Format, AnEarlierMinorNumberAcceptsAnImport) {
  for (const std::string_view version : {"1", "1.2", "1.9"}) {
    EXPECT_EQ(format_state(version, "1.10"), FormatState::older_minor) << version;
  }
  EXPECT_TRUE(accepts_imports(FormatState::older_minor));
  for (const FormatState state : {FormatState::newer_minor, FormatState::newer, FormatState::unknown}) {
    EXPECT_FALSE(accepts_imports(state));
  }
  EXPECT_EQ(format_state("1.10", "1.10"), FormatState::current);
  EXPECT_EQ(format_state("1.11", "1.10"), FormatState::newer_minor);
  EXPECT_EQ(format_state("2", "1.10"), FormatState::newer);
}

TEST(Format, AnythingElseIsUnknown) {
  for (std::string_view text : {"", "0", "01", "1 ", "1.", "1.0", "1.01", "1.1.1", "2.0", ".1", "-2", "one"}) {
    EXPECT_EQ(state_of(text), FormatState::unknown) << text;
  }
}

TEST(Format, EveryStateIsOneLine) {
  for (FormatState state : {FormatState::absent, FormatState::older_minor, FormatState::current,
                            FormatState::newer_minor, FormatState::newer, FormatState::unknown}) {
    EXPECT_EQ(describe(state).find('\n'), std::string_view::npos);
  }
  EXPECT_EQ(describe(FormatState::newer),
            "the store was written by a newer version of portail: use that version, or import into a new store");
}

// A session that fails is a Failure, not a FormatState.
TEST(Format, AFailedReadIsAFailure) {
  struct FailingSession : Session {
    Task<void> get(Context&, std::span<const std::string_view>, std::span<Value>) override {
      co_await std::unexpected(Failure::unavailable);
    }
  } session;
  TestContext test;
  EXPECT_EQ(run_ready(read_format(test.context, session)), std::unexpected(Failure::unavailable));
}

}  // namespace
}  // namespace portail
