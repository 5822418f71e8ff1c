// Verification of the audit's chains by checkpoints and after pruning.
#include <optional>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/audit/verification.hpp"
#include "tests/unit/audit/audit_verification_test.hpp"

namespace portail {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

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
  portal.test.clock.set({portal.test.clock.now().microseconds + 100});
  const Instant before = portal.test.clock.now();
  portal.test.clock.set({portal.test.clock.now().microseconds + 100});
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
  EXPECT_THAT(verify({}, before).faults, IsEmpty());
  EXPECT_THAT(
      verify({}, Instant{before.microseconds - 1}).faults,
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
