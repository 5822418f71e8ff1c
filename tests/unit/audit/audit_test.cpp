// Names, records and the trail of the audit.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/audit/audit_record.hpp"
#include "core/audit/trail.hpp"
#include "core/storage/key.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

TEST(AuditName, IsAKeyThatSortsByTime) {
  const AuditName name{1'768'478'400'000'000, 0xab};
  EXPECT_EQ(audit_key(name), "audit.1768478400000000.00000000000000ab");
  EXPECT_EQ(audit_name_of("audit.1768478400000000.00000000000000ab"), name);
  EXPECT_LT(audit_key({999, 5}), audit_key({1000, 1}));
  for (const std::string_view key :
       {"audit.", "audit.1768478400000000.00000000000000AB", "format", "audit.176847840000000x.00000000000000ab",
        "audit.1768478400000000-00000000000000ab"}) {
    EXPECT_FALSE(audit_name_of(key)) << key;
  }
}

TEST(AuditName, IncreasesEvenIfTheClockGoesBack) {
  TestContext test;
  const AuditName first = next_audit_name(test.context, std::nullopt);
  EXPECT_EQ(first.time, FixedClock::default_time.microseconds);
  test.clock.advance_seconds(-3600);
  const AuditName second = next_audit_name(test.context, first);
  EXPECT_EQ(second.time, first.time + 1);
  EXPECT_NE(second.id, first.id);
}

TEST(AuditedValue, HasALineBeforeItsContent) {
  const std::string value = audit_line({1'768'478'400'000'000, 7}) + "1\ttrue\tRien\n";
  EXPECT_EQ(value, "audit\taudit.1768478400000000.0000000000000007\n1\ttrue\tRien\n");
  EXPECT_EQ(read_audited_value(value)->content, "1\ttrue\tRien\n");
  EXPECT_EQ(read_audited_value(value)->last, (AuditName{1'768'478'400'000'000, 7}));
  EXPECT_FALSE(read_audited_value("1\ttrue\tRien\n")->last);
  EXPECT_EQ(read_audited_value("audit\taudit.17\n").error(), Failure::corrupt);
  EXPECT_EQ(read_audited_value(value.substr(0, audit_line_size - 1)).error(), Failure::corrupt);

  auto configurations = Configurations::parse(value).value();
  EXPECT_EQ(configurations.encode(), value);
  configurations.set_last_change(AuditName{2, 8});
  EXPECT_EQ(configurations.encode(), "audit\taudit.0000000000000002.0000000000000008\n1\ttrue\tRien\n");
}

TEST(ChangeRecord, HasTheAuthorAndTheChanges) {
  const ConfigurationChange change{12, {true, Assignment::none}, {false, Assignment::mandatory}};
  const Author author{.route = "PUT /x", .subject = "é\"1", .client = {}, .system_user = {}, .correlation_id = "c-1"};
  EXPECT_EQ(
      configuration_record(AuditAction::update, FixedClock::default_time, author,
                           {.previous = AuditName{1, 2}, .previous_hash = "ab", .salt = "cd"}, std::span(&change, 1)),
      R"({"time":"2026-01-15T12:00:00.000000Z","action":"update","route":"PUT /x","subject":"é\"1","client":null,)"
      R"("systemUser":null,"correlationId":"c-1","previous":"audit.0000000000000001.0000000000000002",)"
      R"("previousHash":"ab","salt":"cd","changes":[{"objetCourrier":12,"from":{"utilisablePourLiasse":true,"typeAffectation":"Rien"},)"
      R"("to":{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}}]})");
}

class TrailTest : public testing::Test {
 protected:
  // A record whose correlation id is its time.
  void put(AuditName name, std::optional<AuditName> previous, AuditAction action = AuditAction::update) {
    const std::string id = std::to_string(name.time);
    Author author;
    author.correlation_id = id;
    write(audit_key(name), configuration_record(action, {}, author, {previous, {}, {}}, {}));
  }
  void name_last(std::string_view key, AuditName name) { write(std::string(key), audit_line(name)); }
  void write(const std::string& key, const std::string& value) {
    const Change change{key, value};
    ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))));
  }
  // Returns the times of reachable records, in the order of the trail.
  std::vector<std::int64_t> times(std::size_t most = 10'000) {
    struct Reader : AuditVisitor {
      explicit Reader(std::size_t size) : most(size) {}
      bool visit(AuditName name, std::string_view record) override {
        EXPECT_TRUE(record.contains("\"correlationId\":\"" + std::to_string(name.time) + "\""));
        times.push_back(name.time);
        return times.size() < most;
      }
      std::size_t most;
      std::vector<std::int64_t> times;
    } reader(most);
    EXPECT_TRUE(run_ready(read_audit_trail(test.context, memory, reader)));
    return reader.times;
  }

  TestContext test;
  MemoryStore memory;
};

using Times = std::vector<std::int64_t>;

TEST_F(TrailTest, OmitsUnnamedElements) {
  EXPECT_EQ(times(), Times{});
  put({10, 1}, std::nullopt);
  EXPECT_EQ(times(), Times{});  // stored, not yet named
  name_last(configuration_key, {10, 1});
  EXPECT_EQ(times(), Times{10});
  put({20, 1}, AuditName{10, 1});  // a race of two
  put({20, 2}, AuditName{10, 1});
  name_last(configuration_key, {20, 2});
  put({30, 1}, AuditName{20, 2});
  name_last(configuration_key, {30, 1});
  put({40, 1}, AuditName{30, 1});  // interrupted before it was named, and another one that follows it
  put({41, 1}, AuditName{40, 1});
  EXPECT_EQ(times(), (Times{10, 20, 30}));
  EXPECT_EQ(times(2), (Times{10, 20}));
}

TEST_F(TrailTest, HasTheChangesOfGrantsBetweenTheOthers) {
  put({10, 1}, std::nullopt);
  put({20, 1}, std::nullopt, AuditAction::grants);
  put({30, 1}, AuditName{10, 1});
  name_last(configuration_key, {30, 1});
  name_last(grants_key, {20, 1});
  EXPECT_EQ(times(), (Times{10, 20, 30}));
}

TEST_F(TrailTest, HasEachCall) {
  const auto put_call = [this](AuditName name, std::optional<AuditName> previous) {
    const std::string id = std::to_string(name.time);
    std::string record;
    JsonWriter json(record);
    begin_record(json, AuditAction::call, {}, Author{.correlation_id = id}, {previous, {}, {}}).end_object();
    write(audit_key(name), record);
    name_last(audit_state_key, name);
  };
  put_call({10, 1}, std::nullopt);
  put({20, 1}, std::nullopt);
  put({21, 1}, std::nullopt);  // not named
  name_last(configuration_key, {20, 1});
  put_call({30, 1}, AuditName{10, 1});
  EXPECT_EQ(times(), (Times{10, 20, 30}));
  EXPECT_EQ(run_ready(prune_audit_trail(test.context, memory, {20})), 1U);
  EXPECT_EQ(times(), (Times{20, 30}));
}

// With a clock that is 400 days ahead, all records would be older than 365 days. The records that are written by that
// clock change nothing.
TEST_F(TrailTest, IsKeptFromAClockThatIsFarAhead) {
  constexpr std::int64_t day = 86'400'000'000;
  constexpr std::int64_t real = 20'000 * day;
  std::optional<AuditName> previous;
  const auto add = [&](std::int64_t time) {
    put({time, 1}, previous);
    previous = AuditName{time, 1};
    name_last(configuration_key, *previous);
  };
  for (const std::int64_t age : {400, 370, 368, 330, 30, 0}) add(real - age * day);
  const auto prune = [this](std::int64_t days_ahead) {
    const FixedClock clock({real + days_ahead * day});
    Context context{clock, test.random, test.log, test.frames};
    const PrunedAudit pruned = run_ready(prune_expired_audit(context, memory, 365)).value();
    return std::pair(pruned.removed, pruned.has_kept);
  };
  using Pruned = std::pair<std::uint64_t, bool>;
  add(real + 400 * day);
  EXPECT_EQ(prune(400), Pruned(2, true)) << "31 days from the oldest record on";
  add(real + 401 * day);
  EXPECT_EQ(prune(401), Pruned(1, true));
  EXPECT_EQ(times(), (Times{real - 330 * day, real - 30 * day, real, real + 400 * day, real + 401 * day}));
  EXPECT_EQ(prune(0), Pruned(0, false)) << "the clock is right again";
  EXPECT_EQ(prune(40), Pruned(1, false));
  EXPECT_EQ(times(), (Times{real - 30 * day, real, real + 400 * day, real + 401 * day}));
}

TEST_F(TrailTest, IsPrunedFromItsFarEnd) {
  std::optional<AuditName> previous;
  for (std::int64_t time = 1; time <= 2'500; ++time) {
    put({time, 1}, previous);
    previous = AuditName{time, 1};
  }
  name_last(configuration_key, *previous);
  EXPECT_EQ(times().size(), 2'500U);
  EXPECT_EQ(run_ready(prune_audit_trail(test.context, memory, {2'499})), 2'498U);
  EXPECT_EQ(times(), (Times{2'499, 2'500}));
  EXPECT_EQ(run_ready(prune_audit_trail(test.context, memory, {2'499})), 0U);
  EXPECT_EQ(run_ready(prune_audit_trail(test.context, memory, {9'999})), 2U);
  EXPECT_EQ(times(), Times{});
  // The named record was pruned: the trail continues from here.
  put({10'000, 1}, previous);
  name_last(configuration_key, {10'000, 1});
  EXPECT_EQ(times(), Times{10'000});
}

TEST_F(TrailTest, WithARecordThatCannotBeReadIsAFailure) {
  write(audit_key({10, 1}), "{");
  struct NullVisitor : AuditVisitor {
    bool visit(AuditName, std::string_view) override { return true; }
  } null_visitor;
  EXPECT_EQ(run_ready(read_audit_trail(test.context, memory, null_visitor)).error(), Failure::corrupt);
}

}  // namespace
}  // namespace portail
