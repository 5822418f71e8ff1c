// Verification of the audit's chains: what is stored passes, and each change of a record or of a chain is found.
#include "tests/unit/audit/audit_verification_test.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/audit/audit_state.hpp"
#include "core/audit/record_hash.hpp"
#include "core/audit/verification.hpp"

namespace portail {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(AuditVerificationTest, PassesWhatIsStored) {
  const AuditVerification result = verify();
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.fault_count, 0U);
  EXPECT_EQ(result.chains[0].records, 3U);  // import, two PUTs
  EXPECT_EQ(result.chains[1].records, 1U);
  EXPECT_EQ(result.chains[2].records, 3U);
  for (const VerifiedChain& chain : result.chains) {
    EXPECT_EQ(chain.unverified, 0U);
    EXPECT_TRUE(chain.first);
  }
  EXPECT_EQ(result.unconnected, 0U);
  EXPECT_EQ(audit_key(result.state.ends[2]->last), keys("\"call\"").back());
}

TEST_F(AuditVerificationTest, FindsAChangedRecord) {
  const std::string first = keys("\"sub-1\"").at(0);
  const std::string second = keys("\"sub-2\"").at(0);
  replace(first, "sub-1", "sub-3");
  EXPECT_THAT(verify().faults, ElementsAre(first + " was changed: " + second + " has another hash of it"));
  replace(first, "sub-3", "sub-1");
  EXPECT_THAT(verify().faults, IsEmpty());
  replace(first, "\"Rien\"", "\"Obligatoire\"");
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(first + " was changed")));
}

TEST_F(AuditVerificationTest, FindsAChangedOutcomeOfAnImport) {
  const std::string import_key = keys("\"action\":\"import\"").at(0);
  replace(import_key, "\"added\":2", "\"added\":3");
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(import_key + " was changed")));
}

TEST_F(AuditVerificationTest, FindsAnOutcomeAfterAnInterruptedImport) {
  const std::string import_key = keys("\"action\":\"import\"").at(0);
  portal.put(import_key, *without_outcome(record(import_key)));
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(import_key + " was changed")));
}

TEST_F(AuditVerificationTest, FindsARemovedRecord) {
  remove(keys("\"sub-1\"").at(0));
  EXPECT_EQ(verify().fault_count, 1U);
  EXPECT_THAT(verify().faults, ElementsAre(HasSubstr(" is missing: " + keys("\"sub-2\"").at(0) + " names it")));
}

TEST_F(AuditVerificationTest, FindsARemovedEnd) {
  remove(keys("\"sub-2\"").at(0));
  remove(keys("\"call\"").at(2));
  EXPECT_THAT(verify().faults, ElementsAre(EndsWith(" is missing: the end of the chain configuration names it"),
                                           EndsWith(" is missing: the end of the chain calls names it")));
}

TEST_F(AuditVerificationTest, FindsReorderedRecords) {
  const std::vector<std::string> calls = keys("\"call\"");
  const std::string first = record(calls.at(0));
  portal.put(calls.at(0), record(calls.at(1)));
  portal.put(calls.at(1), first);
  EXPECT_GE(verify().fault_count, 1U);
  EXPECT_THAT(verify().faults[0], StartsWith(calls.at(1) + " was changed"));
}

TEST_F(AuditVerificationTest, FindsARecordThatNamesALaterOne) {
  const std::vector<std::string> calls = keys("\"call\"");
  replace(calls.at(1), calls.at(0), calls.at(2));
  EXPECT_THAT(verify().faults,
              ElementsAre(StartsWith(calls.at(1) + " was changed"), StartsWith(calls.at(1) + " is out of order")));
}

TEST_F(AuditVerificationTest, FindsARemovedHashAndARemovedSalt) {
  const std::string first = keys("\"sub-1\"").at(0);
  const std::string second = keys("\"sub-2\"").at(0);
  const std::string text = record(second);
  const std::size_t hash = text.find("\"previousHash\":\"") + 15;
  portal.put(second, std::string(text).replace(hash, 66, "null"));
  EXPECT_THAT(verify().faults, ElementsAre(StartsWith(second + " does not have the hash of " + first)));
  portal.put(second, text);
  replace(first, "\"salt\"", "\"salty\"");
  EXPECT_THAT(verify().faults, ElementsAre(first + " is not an audit record: it was changed"));
}

// A commitment is a part of the hashed text: another text in its position would be a string where the record has null.
TEST_F(AuditVerificationTest, FindsACommitmentThatIsNoHash) {
  portal.put(std::string(audit_state_key), "");
  call({.route = "GET /audit"});
  const std::string key = keys("\"GET /audit\"").at(0);
  const std::vector checkpoints{verify().state};
  const std::string text = record(key);
  const std::size_t salt = text.find("\"salt\":") + 7;
  const std::string forged =
      with(std::string(text).replace(salt, 34, R"(["=null"])"), R"("subject":null)", R"("subject":"mallory")");
  ASSERT_EQ(audit_record_hash(key, forged), audit_record_hash(key, text));
  portal.put(key, forged);
  EXPECT_THAT(verify(checkpoints).faults, ElementsAre(key + " has an invalid salt: it was changed"));
  // Neither the rest of the record nor its hash depends on this salt.
  portal.put(key, std::string(text).replace(salt, 34, "\"bob did it\""));
  EXPECT_THAT(verify(checkpoints).faults, ElementsAre(key + " has an invalid salt: it was changed"));
}

TEST_F(AuditVerificationTest, FindsRecordsInAnotherChain) {
  const std::string grants = keys("\"grants\"").at(0);
  const std::string last = keys("\"sub-2\"").at(0);
  portal.put(std::string(configuration_key), audit_line(*audit_name_of(grants)));
  portal.put(std::string(grants_key), audit_line(*audit_name_of(last)));
  EXPECT_THAT(verify().faults, ElementsAre(grants + " is not of the chain configuration, whose end names it",
                                           last + " is not of the chain grants, whose end names it"));
}

TEST_F(AuditVerificationTest, FindsALastRecordWithoutItsMembers) {
  const std::string last = keys("\"sub-2\"").at(0);
  const std::string text = record(last);
  // Only a record that is hashed itself has the hash of another one.
  const std::string unhashed = R"({"action":"update","previous":null,"previousHash":")" + std::string(64, '0') + "\"}";
  for (const std::string_view damaged :
       {std::string_view(unhashed), std::string_view("{}"), std::string_view(R"({"action":"update"})"),
        std::string_view(R"({"action":"update","previous":"audit.1"})"),
        std::string_view(R"({"action":"update","previous":null,"previousHash":"0"})")}) {
    portal.put(last, damaged);
    EXPECT_THAT(verify().faults, ElementsAre(last + " is not an audit record: it was changed")) << damaged;
  }
  portal.put(last, text);
  EXPECT_THAT(verify().faults, IsEmpty());
}

TEST_F(AuditVerificationTest, FindsWhatIsNoRecord) {
  const std::string first = keys("\"sub-1\"").at(0);
  portal.put(first, "{");
  EXPECT_THAT(verify().faults, ElementsAre(first + " is not an audit record: it was changed"));
  portal.put("audit.1", "{}");
  EXPECT_THAT(verify().faults, testing::Contains("audit.1 is not the key of an audit record"));
}

// An action of a later version may be of any chain, but not of two.
TEST_F(AuditVerificationTest, FindsARecordOfTwoChains) {
  const std::string call_key = keys("\"call\"").at(2);
  replace(call_key, "\"call\"", "\"later\"");
  ASSERT_THAT(verify().faults, IsEmpty());
  portal.put(std::string(grants_key), audit_line(*audit_name_of(call_key)));
  EXPECT_THAT(verify().faults, testing::Contains(StartsWith(call_key + " is in two chains")));
}

// As stored by an earlier version of the program.
TEST_F(AuditVerificationTest, SaysFromWhenTheChainIsVerified) {
  const auto old_record = [this](AuditName name, std::optional<AuditName> previous) {
    portal.put(audit_key(name), R"({"time":"2024","action":"update","previous":)" +
                                    (previous ? '"' + audit_key(*previous) + '"' : std::string("null")) +
                                    ",\"changes\":[]}");
  };
  restore({});
  old_record({1, 1}, std::nullopt);
  old_record({2, 1}, AuditName{1, 1});
  portal.put(std::string(configuration_key), audit_line({2, 1}));
  EXPECT_EQ(verify().chains[0].unverified, 2U);
  EXPECT_FALSE(verify().chains[0].first);
  EXPECT_FALSE(verify().state.ends[0]);
  put(1);
  put(2);
  EXPECT_THAT(verify().faults, IsEmpty());
  EXPECT_EQ(verify().chains[0].unverified, 2U);
  EXPECT_EQ(verify().chains[0].records, 4U);
  EXPECT_EQ(audit_key(*verify().chains[0].first), keys("\"sub-1\"").at(0));

  // An earlier version writes again.
  const AuditName last = *audit_name_of(keys("\"sub-2\"").at(0));
  old_record({last.time + 1, 7}, last);
  portal.put(std::string(configuration_key), audit_line({last.time + 1, 7}));
  EXPECT_THAT(verify().faults, ElementsAre(HasSubstr(" does not have the hash of " + audit_key(last))));
}

TEST_F(AuditVerificationTest, ReportsRecordsInNoChain) {
  portal.put("audit.0000000000000001.0000000000000001", record(keys("\"call\"").at(0)));
  EXPECT_EQ(verify().unconnected, 1U);
  EXPECT_EQ(verify().fault_count, 0U);
}

}  // namespace
}  // namespace portail
