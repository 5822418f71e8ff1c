// Verification of the audit's chains: what is stored by imports, PUTs and erasures passes, and each attack is found.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/audit/audit_state.hpp"
#include "core/audit/record_hash.hpp"
#include "core/audit/verification.hpp"
#include "core/base/hexadecimal.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/privacy/person.hpp"
#include "core/storage/key_value_store.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

class AuditVerificationTest : public testing::Test {
 protected:
  AuditVerificationTest() {
    import(small_document);
    put(1);
    put(2);
    call();
    call();
    call();
  }

  void import(std::string_view document) { portal.import(document, {}, small_templates()); }
  // What a PUT by a subject of that number stores.
  void put(int number) {
    const std::string subject = "sub-" + std::to_string(number);
    ASSERT_TRUE(run_ready(
        swap_configurations(portal.test.context, portal.memory, [&](Configurations& configurations) -> Task<void> {
          const AuditLink link = co_await read_link(portal.test.context, portal.memory, configurations.last_change());
          const AuditName name = next_audit_name(portal.test.context, link.previous);
          const ConfigurationChange change{1, configurations.of(1), {true, Assignment::none}};
          portal.put(audit_key(name), configuration_record(AuditAction::update, portal.test.clock.now(),
                                                           {.subject = subject}, link, std::span(&change, 1)));
          configurations.set_last_change(name);
          co_return;
        })));
  }
  void call() {
    ASSERT_TRUE(run_ready(append_call_record(portal.test.context, portal.memory, [this](const AuditLink& link) {
      std::string record;
      JsonWriter json(record);
      begin_record(json, AuditAction::call, portal.test.clock.now(), {.subject = "sub-ops"}, link).end_object();
      return record;
    })));
  }
  AuditVerification verify(std::span<const Checkpoint> checkpoints = {}) {
    return run_ready(
               verify_audit(portal.test.context, portal.memory, {.checkpoints = checkpoints, .max_pruned_before = {}}))
        .value();
  }
  // The keys of the records whose text contains `text`, in order.
  std::vector<std::string> keys(std::string_view text) {
    std::vector<std::string> found;
    for (const auto& [key, value] : portal.everything(audit_prefix)) {
      if (value.contains(text)) found.push_back(key);
    }
    return found;
  }
  std::string record(const std::string& key) { return portal.everything()[key]; }
  void replace(const std::string& key, std::string_view from, std::string_view to) {
    portal.put(key, with(record(key), from, to));
  }
  void remove(const std::string& key) {
    const Change change{key, std::nullopt};
    ASSERT_TRUE(run_ready(portal.memory.write(portal.test.context, std::span(&change, 1))));
  }
  void restore(const Contents& contents) {
    for (const auto& [key, value] : portal.everything()) {
      if (!contents.contains(key)) remove(key);
    }
    for (const auto& [key, value] : contents) portal.put(key, value);
  }
  std::string erase(std::string_view subject) {
    const auto data = run_ready(read_person(portal.test.context, portal.memory, subject)).value();
    return run_ready(erase_person(portal.test.context, portal.memory, subject, data, {})).value();
  }
  void prune(Instant before) { ASSERT_TRUE(run_ready(prune_audit_trail(portal.test.context, portal.memory, before))); }

  Portal portal;
};

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
  const std::string erasure = keys("\"erasure\"").at(0);
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

// A commitment is a part of the hashed text: another text in its position would be a string where the record has null.
TEST_F(AuditVerificationTest, FindsACommitmentThatIsNoHash) {
  portal.put(std::string(audit_state_key), "");
  ASSERT_TRUE(run_ready(append_call_record(portal.test.context, portal.memory, [this](const AuditLink& link) {
    std::string text;
    JsonWriter json(text);
    begin_record(json, AuditAction::call, portal.test.clock.now(), {.route = "GET /audit"}, link).end_object();
    return text;
  })));
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

// Only a checkpoint shows that the end of a chain was cut off and regrown.
TEST_F(AuditVerificationTest, FindsARegrownChainByACheckpoint) {
  const Contents before = portal.everything();
  put(3);
  const std::vector checkpoints{verify().state};
  put(4);
  EXPECT_EQ(verify(checkpoints).matching_checkpoints, 1U);
  EXPECT_THAT(verify(checkpoints).faults, IsEmpty());
  restore(before);
  put(5);
  put(6);
  EXPECT_EQ(verify().fault_count, 0U);
  EXPECT_THAT(verify(checkpoints).faults,
              ElementsAre(AllOf(
                  StartsWith("checkpoint of 1970-01-01T00:00:00.000000Z: audit."),
                  EndsWith(" is missing: records were removed or rewritten, or this is an older or another store"))));
  EXPECT_EQ(verify(checkpoints).matching_checkpoints, 0U);
}

TEST_F(AuditVerificationTest, FindsAChangedLastRecordByACheckpoint) {
  const std::vector checkpoints{verify().state};
  const std::string last = keys("\"sub-2\"").at(0);
  replace(last, "sub-2", "sub-3");
  EXPECT_EQ(verify().fault_count, 0U);
  EXPECT_THAT(verify(checkpoints).faults, ElementsAre(HasSubstr(last + " was changed or disconnected since")));
}

TEST_F(AuditVerificationTest, FindsAStoreOfYesterdayByACheckpoint) {
  const Contents yesterday = portal.everything();
  call();
  const std::vector checkpoints{verify().state};
  restore(yesterday);
  EXPECT_EQ(verify().fault_count, 0U);
  EXPECT_EQ(verify(checkpoints).fault_count, 1U);
}

TEST_F(AuditVerificationTest, PassesPrunedRecordsAndNoOthers) {
  const std::vector early{verify().state};
  portal.test.clock.instant.microseconds += 100;
  const Instant before = portal.test.clock.now();
  portal.test.clock.instant.microseconds += 100;
  put(3);
  call();
  const std::vector checkpoints{early[0], verify().state};
  prune(before);
  const AuditVerification result = verify(checkpoints);
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.state.pruned_before, before);
  EXPECT_EQ(result.chains[0].records, 1U);
  EXPECT_EQ(result.chains[1].records, 0U);  // of the import
  EXPECT_EQ(result.chains[2].records, 1U);
  EXPECT_EQ(result.pruned_checkpoints, 1U);
  EXPECT_EQ(result.matching_checkpoints, 1U);

  // The chains continue, also that whose last record was pruned.
  import(with(small_document, "\"role\":\"gestionnaire\"", "\"role\":\"chef\""));
  call();
  EXPECT_THAT(verify(checkpoints).faults, IsEmpty());
  EXPECT_EQ(verify().chains[1].records, 1U);
  remove(keys("\"sub-3\"").at(0));
  EXPECT_THAT(verify().faults, ElementsAre(HasSubstr(" is missing")));
}

// Without this a writer of the store could remove all records, and move the time of pruning.
TEST_F(AuditVerificationTest, FindsPruningBeforeTheRetention) {
  const Instant before{portal.test.clock.now().microseconds + 1};
  prune(before);
  const auto verify_retention = [this](Instant max) {
    const AuditExpectations expected{.checkpoints = {}, .max_pruned_before = max};
    return run_ready(verify_audit(portal.test.context, portal.memory, expected)).value().faults;
  };
  EXPECT_THAT(verify_retention(before), IsEmpty());
  EXPECT_THAT(
      verify_retention(Instant{before.microseconds - 1}),
      ElementsAre("records before 1970-01-01T00:00:00.000001Z were removed, and the retention requires those since "
                  "1970-01-01T00:00:00.000000Z: they were removed too early, or the portal has a shorter retention"));
}

TEST_F(AuditVerificationTest, FindsAStoreFromBeforeThePruning) {
  const Contents yesterday = portal.everything();
  prune(Instant{portal.test.clock.now().microseconds + 2});
  const std::vector checkpoints{verify().state};
  restore(yesterday);
  EXPECT_THAT(verify(checkpoints).faults, ElementsAre(HasSubstr("an older store was restored")));
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
  portal.test.clock.instant.microseconds += 1'000'000;
  put(9);
  portal.test.clock.instant.microseconds -= 1'000'000;
  erase("sub-9");
  EXPECT_GT(keys("\"erasure\"").at(0), keys("erased-").at(0));
  prune(Instant{portal.test.clock.now().microseconds + 500'000});
  ASSERT_EQ(verify().chains[0].records, 1U);
  EXPECT_THAT(verify().faults, IsEmpty());
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
  portal.test.clock.instant.microseconds += 86'400'000'000;
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
  portal.test.clock.instant.microseconds += 86'400'000'000;
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

TEST_F(AuditVerificationTest, ReportsRecordsInNoChain) {
  portal.put("audit.0000000000000001.0000000000000001", record(keys("\"call\"").at(0)));
  EXPECT_EQ(verify().unconnected, 1U);
  EXPECT_EQ(verify().fault_count, 0U);
}

TEST(CheckpointText, IsReadBack) {
  Checkpoint checkpoint{.time = {1'768'478'400'000'000}, .pruned_before = std::nullopt, .ends = {}};
  EXPECT_EQ(checkpoint_text(checkpoint),
            R"({"portailAuditCheckpoint":1,"time":"2026-01-15T12:00:00.000000Z","microseconds":1768478400000000,)"
            R"("prunedBefore":null,"configuration":null,"grants":null,"calls":null})");
  EXPECT_EQ(parse_checkpoint(checkpoint_text(checkpoint)), checkpoint);
  checkpoint.pruned_before = Instant{7};
  checkpoint.ends[1] = ChainEnd{.last = {1, 2}, .hash = sha256({})};
  EXPECT_THAT(checkpoint_text(checkpoint),
              HasSubstr(R"("prunedBefore":7,"configuration":null,"grants":{"last":)"
                        R"("audit.0000000000000001.0000000000000002","hash":"e3b0c44298fc1c149afbf4c8996fb924)"));
  EXPECT_EQ(parse_checkpoint(checkpoint_text(checkpoint)), checkpoint);
  for (const std::string_view text :
       {"", "{}", R"({"portailAuditCheckpoint":2})",
        R"({"portailAuditCheckpoint":1,"microseconds":1,"configuration":null,"grants":null})",
        R"({"portailAuditCheckpoint":1,"microseconds":1,"configuration":{},"grants":null,"calls":null})"}) {
    EXPECT_FALSE(parse_checkpoint(text)) << text;
  }
}

}  // namespace
}  // namespace portail
