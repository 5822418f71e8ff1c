// Verification of the audit's chains after the erasure of persons: only what the command erased passes.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/audit/audit_state.hpp"
#include "core/audit/record_hash.hpp"
#include "core/audit/verification.hpp"
#include "core/privacy/person.hpp"
#include "core/storage/key_value_store.hpp"
#include "tests/unit/audit/audit_verification_test.hpp"

namespace portail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The text of the record stays the same, but its subject was not erased by the command.
TEST_F(AuditVerificationTest, FindsAReplacedSubject) {
  const std::vector checkpoints{verify().state};
  const std::string first = keys("\"sub-1\"").at(0);
  const std::string text = record(first);
  const auto replaced = [&](std::string_view pseudonym) {
    std::string forged = text;
    EXPECT_TRUE(erase_personal_strings(
        forged, [pseudonym](std::string_view, std::string_view) { return std::optional(json_string(pseudonym)); }));
    return forged;
  };
  portal.put(first, replaced("erased-0000000000000000"));
  EXPECT_THAT(verify(checkpoints).faults,
              ElementsAre(first + " has an erased string, but no record of an erasure confirms it: it was replaced"));

  // The pseudonym of another record's erasure.
  portal.put(first, text);
  const std::string pseudonym = erase("sub-2");
  ASSERT_THAT(verify(checkpoints).faults, IsEmpty());
  portal.put(first, replaced(pseudonym));
  EXPECT_THAT(verify(checkpoints).faults, ElementsAre(StartsWith(first + " has an erased string")));

  // The record of the erasure must be in the chain of calls.
  portal.put(first, text);
  const std::string before = keys("\"call\"").at(2);
  portal.put(std::string(audit_state_key), audit_line(*audit_name_of(before)));
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(keys(pseudonym).at(0) + " has an erased string")));
}

// The oldest call has no hash of the one before it, which was pruned: any record can be put in that position.
TEST_F(AuditVerificationTest, NeedsTheHashOfTheErasure) {
  const std::string erased_key = keys("\"sub-1\"").at(0);
  erase("sub-1");
  const std::string erasure = record(keys("\"erasure\"").at(0));
  const std::string texts = erasure.substr(erasure.find("\"erased\""));
  for (const std::string& key : keys("\"erasure\"")) remove(key);
  for (const std::string& key : keys("\"call\"")) remove(key);
  const AuditName before{.time = 0, .id = 7};
  prune(Instant{1});
  portal.put(std::string(audit_state_key), audit_line(before) + "pruned\t0000000000000001\n");
  call();
  portal.put(audit_key(before), R"({"action":"erasure","previous":null,)" + texts);
  ASSERT_EQ(verify().chains[2].records, 2U);
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(erased_key + " has an erased string")));
}

TEST_F(AuditVerificationTest, FindsAChangeOfAnErasedRecord) {
  const std::string key = keys("\"sub-1\"").at(0);
  const std::string pseudonym = erase("sub-1");
  ASSERT_THAT(verify().faults, IsEmpty());
  replace(key, pseudonym, "sub-7");
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(key + " has an erased string")));
}

TEST_F(AuditVerificationTest, PassesErasedSubjects) {
  const auto data = run_ready(read_person(portal.test.context, portal.memory, "sub-1")).value();
  ASSERT_EQ(data.audit_keys.size(), 1U);
  const std::vector checkpoints{verify().state};
  ASSERT_TRUE(run_ready(erase_person(portal.test.context, portal.memory, "sub-1", data, {})));
  ASSERT_THAT(keys("\"sub-1\""), IsEmpty());
  EXPECT_THAT(verify(checkpoints).faults, IsEmpty());
  EXPECT_EQ(verify().chains[2].records, 4U);  // the erasure too
  EXPECT_EQ(verify().erased_records, 1U);
  replace(data.audit_keys[0], "\"Rien\"", "\"Obligatoire\"");
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(data.audit_keys[0] + " was changed"),
                                           StartsWith(data.audit_keys[0] + " has an erased string")));
}

TEST_F(AuditVerificationTest, PassesErasuresOfSeveralPersonsInOneRecord) {
  const std::string document =
      with(small_document, "\"utilisateur\":\"sub-admin\"", R"("utilisateur":"\u00e9\"\\\u0001")");
  import(document);
  ASSERT_EQ(keys("\"sub-admin\"").size(), 2U);  // granted, and revoked with a grant to the other
  const std::string second = erase("\u00e9\"\\\x01");
  const std::string first = erase("sub-admin");
  ASSERT_THAT(keys("sub-admin"), IsEmpty());
  EXPECT_EQ(keys('"' + first + '"').size(), 3U);
  EXPECT_EQ(keys('"' + second + '"').size(), 2U);
  EXPECT_THAT(verify().faults, IsEmpty());
}

// The record of the erasure is written, then the records one after the other.
TEST_F(AuditVerificationTest, PassesAnInterruptedErasureAndItsRepetition) {
  put(1);
  const std::string untouched = keys("\"sub-1\"").at(1);
  const std::string text = record(untouched);
  erase("sub-1");
  portal.put(untouched, text);
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(untouched + " has strings that were erased")));
  erase("sub-1");
  ASSERT_THAT(keys("\"sub-1\""), IsEmpty());
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_EQ(keys("\"erasure\"").size(), 2U);
}

// Each record of an erasure must fit in a value.
TEST_F(AuditVerificationTest, PassesTheErasureOfManyRecords) {
  for (int i = 0; i < 2'001; ++i) put(9);
  erase("sub-9");
  const std::vector<std::string> erasures = keys("\"erasure\"");
  ASSERT_EQ(erasures.size(), 2U);
  EXPECT_LT(record(erasures[0]).size(), max_value_size);
  EXPECT_THAT(record(erasures[0]), HasSubstr(R"("records":2000,)"));
  EXPECT_THAT(record(erasures[1]), HasSubstr(R"("records":1,)"));
  EXPECT_THAT(verify().faults, IsEmpty());
}

// The clock was set back: the record of the erasure is still newer than those that it erases, and pruned after them.
TEST_F(AuditVerificationTest, PassesPruningAfterAnErasureOfLaterRecords) {
  portal.test.clock.advance_seconds(1);
  put(9);
  portal.test.clock.advance_seconds(-1);
  erase("sub-9");
  EXPECT_GT(keys("\"erasure\"").at(0), keys("erased-").at(0));
  prune(Instant{portal.test.clock.now().microseconds + 500'000});
  ASSERT_EQ(verify().chains[0].records, 1U);
  EXPECT_THAT(verify().faults, IsEmpty());
}

// As if the file had been copied from a backup.
TEST_F(AuditVerificationTest, FindsARestoredRecordOfAnErasedSubject) {
  const std::string key = keys("\"sub-1\"").at(0);
  const std::string text = record(key);
  erase("sub-1");
  const std::vector checkpoints{verify().state};
  ASSERT_THAT(verify(checkpoints).faults, IsEmpty());
  portal.put(key, text);
  const auto fault = ElementsAre(
      key +
      " has strings that were erased: it was restored, or the erasure was interrupted; run portail person erase again");
  EXPECT_THAT(verify().faults, fault);
  EXPECT_THAT(verify(checkpoints).faults, fault);
  erase("sub-1");
  EXPECT_THAT(verify(checkpoints).faults, IsEmpty());

  // With strings of two persons, of which one was erased before the backup.
  import(with(small_document, "sub-admin", "sub-other"));
  const std::string both = keys("sub-other").at(0);
  erase("sub-admin");
  const std::string backup = record(both);
  erase("sub-other");
  ASSERT_THAT(verify().faults, IsEmpty());
  portal.put(both, backup);
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(both + " has strings that were erased")));
}

}  // namespace
}  // namespace portail
