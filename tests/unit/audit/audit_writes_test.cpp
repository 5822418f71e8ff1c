// Verification of the audit's chains during writes, and after concurrent and interrupted ones.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/audit/audit_state.hpp"
#include "core/audit/record_hash.hpp"
#include "core/audit/verification.hpp"
#include "core/base/text.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/key_value_store.hpp"
#include "tests/unit/audit/audit_verification_test.hpp"

namespace portail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Calls `before` and `after` around the first scan.
struct ActAroundScan : ForwardingStore {
  ActAroundScan(
      KeyValueStore& beneath, std::function<void()> before_scan, std::function<void()> after_scan = [] {})
      : ForwardingStore(beneath), before(std::move(before_scan)), after(std::move(after_scan)) {}
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    std::exchange(before, [] {})();
    co_await target().scan(context, prefix, visitor);
    std::exchange(after, [] {})();
  }
  std::function<void()> before;
  std::function<void()> after;
};

// A listing without a snapshot can have the second one only.
TEST_F(AuditVerificationTest, PassesTwoCallsDuringTheVerification) {
  std::string key;
  std::string text;
  ActAroundScan store(
      portal.memory,
      [&] {
        call();
        key = keys("\"call\"").back();
        text = record(key);
        call();
        ASSERT_GT(keys("\"call\"").back(), key);
        remove(key);
      },
      [&] { portal.put(key, text); });
  const auto result = run_ready(verify_audit(portal.test.context, store, {}));
  ASSERT_TRUE(result);
  ASSERT_FALSE(key.empty());
  EXPECT_THAT(result->faults, IsEmpty());
  EXPECT_EQ(result->hidden, 0U);
  EXPECT_EQ(result->chains[2].records, 5U);
}

TEST_F(AuditVerificationTest, PassesAnErasureDuringTheVerification) {
  ActAroundScan store(portal.memory, [this] { erase("sub-1"); });
  const auto result = run_ready(verify_audit(portal.test.context, store, {}));
  ASSERT_TRUE(result);
  ASSERT_THAT(keys("\"sub-1\""), IsEmpty());
  EXPECT_THAT(result->faults, IsEmpty());
  EXPECT_EQ(result->chains[2].records, 4U);
}

// Calls `put` once, after the import's first write of a key with that prefix that follows its own record.
struct RacingStore : ForwardingStore {
  RacingStore(KeyValueStore& beneath, std::string_view key_prefix, std::function<void()> put)
      : ForwardingStore(beneath), prefix(key_prefix), put_once(std::move(put)) {}
  Task<void> write(Context& context, std::span<const Change> changes) override {
    const std::string key(changes[0].key);
    co_await target().write(context, changes);
    if (has_record && key.starts_with(prefix)) std::exchange(put_once, [] {})();
    has_record = has_record || key.starts_with(audit_prefix);
  }
  bool has_record = false;
  std::string_view prefix;
  std::function<void()> put_once;
};

// The PUT's record has the hash of the import's record without the outcome.
TEST_F(AuditVerificationTest, PassesAPutDuringAnImport) {
  TestInput input{with(small_document, "Prêt", "Autre"), small_templates()};
  RacingStore racing(portal.memory, bundle_prefix, [this] { put(7); });
  ASSERT_TRUE(portal.import(input, {}, &racing));
  ASSERT_EQ(keys("\"sub-7\"").size(), 1U);
  ASSERT_EQ(keys("\"import-outcome\"").size(), 1U);
  EXPECT_THAT(verify().faults, IsEmpty());

  const std::string import_key = keys("\"action\":\"import\"").back();
  replace(import_key, "\"unchanged\":2", "\"unchanged\":3");
  const auto confirmed =
      ElementsAre(import_key + " was changed: a later record confirms another outcome of this import");
  EXPECT_THAT(verify().faults, confirmed);
  // As if the import had been interrupted: the PUT's record has this hash.
  portal.put(import_key, *without_outcome(record(import_key)));
  EXPECT_THAT(verify().faults, confirmed);
}

// The PUT's record has the hash of the import's record with the outcome, which was written a moment before.
TEST_F(AuditVerificationTest, PassesAPutWhileAnImportEnds) {
  TestInput input{std::string(small_document), small_templates()};
  RacingStore racing(portal.memory, audit_prefix, [this] { put(7); });
  ASSERT_TRUE(portal.import(input, {}, &racing));
  ASSERT_EQ(keys("\"sub-7\"").size(), 1U);
  ASSERT_EQ(keys("\"import-outcome\"").size(), 1U);
  EXPECT_THAT(verify().faults, IsEmpty());
}

// The import ends between the write of its outcome and the swap that names the record of the outcome.
TEST_F(AuditVerificationTest, ReportsAnOutcomeThatNoRecordConfirms) {
  TestInput input{with(small_document, "Prêt", "Autre"), small_templates()};
  RacingStore racing(portal.memory, bundle_prefix, [this] { put(7); });
  ASSERT_TRUE(portal.import(input, {}, &racing));
  ASSERT_EQ(keys("\"import-outcome\"").size(), 1U);
  put(8);
  const std::string import_key = keys("\"action\":\"import\"").back();
  const std::string last = keys("\"sub-7\"").at(0);
  portal.put(std::string(configuration_key), audit_line(*audit_name_of(last)));
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_THAT(verify().unconfirmed_imports, ElementsAre(import_key));
}

// What a PUT leaves that ended before its swap.
TEST_F(AuditVerificationTest, PassesWhatAnInterruptedWriteLeaves) {
  const std::string configuration = record(std::string(configuration_key));
  put(8);
  const std::string interrupted = keys("\"sub-8\"").at(0);
  portal.put(std::string(configuration_key), configuration);
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_THAT(verify().unconnected_keys, ElementsAre(interrupted));
  portal.test.clock.advance_seconds(86'400);
  put(9);
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_EQ(verify().hidden, 0U);
  EXPECT_THAT(audit_of(portal), testing::Each(Not(HasSubstr("\"sub-8\""))));

  // The first call of a store.
  for (const std::string& key : keys("\"call\"")) remove(key);
  portal.put(std::string(audit_state_key), "");
  call();
  portal.put(std::string(audit_state_key), "");
  EXPECT_THAT(verify().faults, IsEmpty());
  call();
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_EQ(verify().unconnected, 2U);
}

TEST_F(AuditVerificationTest, FindsARecordThatNoWriteLeaves) {
  portal.test.clock.advance_seconds(86'400);
  put(3);
  call();
  const std::vector checkpoints{verify().state};
  const std::string put_key = keys("\"sub-3\"").at(0);
  const std::string salted = R"(,"salt":"00000000000000000000000000000000"})";
  const std::string back_dated = "audit.0000040000000000.0000000000000001";  // between the others
  const auto forged = [&](const std::string& key, const std::string& text) {
    ASSERT_FALSE(portal.everything().contains(key));
    portal.put(key, text);
    for (const AuditVerification& result : {verify(), verify(checkpoints)}) {
      EXPECT_THAT(result.faults, ElementsAre(key + " is in no chain, and no interrupted write left it: it was added"))
          << text;
      EXPECT_EQ(result.hidden, 1U);
    }
    Trail trail;
    EXPECT_EQ(run_ready(read_audit_trail(portal.test.context, portal.memory, trail)), 1U);
    EXPECT_EQ(trail.records.size(), 9U);
    EXPECT_THAT(trail.records, testing::Each(Not(HasSubstr(text)))) << text;
    remove(key);
  };
  const std::string null_link = R"("previous":null,"previousCall":null,"previousHash":null)";
  for (const std::string_view action : {"call", "erasure", "update", "grants", "import", "later"}) {
    const std::string start = R"({"time":"1970-01-01T11:06:40.000000Z","action":")" + std::string(action) + "\",";
    forged(back_dated, start + R"("previous":null})");  // as a version without hashes wrote it
    forged(back_dated, start + null_link + salted);
    forged(back_dated, start + R"("previous":"audit.0000030000000000.0000000000000001","previousHash":null)" + salted);
  }
  const std::string before = keys("\"sub-2\"").at(0);
  const std::string hash = lower_hex(*audit_record_hash(before, record(before)));
  const auto after = [](const std::string& previous, std::string_view previous_hash) {
    return R"({"action":"update","previous":")" + previous + R"(","previousHash":")" + std::string(previous_hash) + '"';
  };
  forged(back_dated, after(before, std::string(64, '0')) + salted);          // another hash
  forged(back_dated, after(put_key, hash) + salted);                         // of a later record
  forged(back_dated, with(after(before, hash), "update", "call") + salted);  // of another chain
  forged(back_dated, after(before, hash) + '}');
}

}  // namespace
}  // namespace portail
