// Runs the thousand of seeds that TEST_SEED selects, or its beginning, and the seeds that failed before.
// PORTAIL_SIMULATION_SEED (or --seed N) selects a single seed, PORTAIL_SIMULATION_SEEDS sets their number.
#include "tests/simulation/simulation.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simulation/setups.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail::simulation {
namespace {

std::optional<std::uint64_t> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional(std::strtoull(text, nullptr, 10)) : std::nullopt;
}

Outcome run_seed(const NamedSetup& named, std::uint64_t seed) {
  Setup setup = named.setup;
  setup.seed = seed;
  Outcome outcome = simulate(setup);
  EXPECT_FALSE(outcome.failure) << named.name << ", seed " << seed << ": " << *outcome.failure
                                << "\nagain: PORTAIL_SIMULATION_SEED=" << seed << " with the same test\nadd {\""
                                << named.name << "\", " << seed << "} to tests/simulation/setups.hpp";
  return outcome;
}

void run_seeds(std::string_view name) {
  const NamedSetup& named = setup_named(name);
  const auto only = number_from_environment("PORTAIL_SIMULATION_SEED");
  const std::uint64_t first = only ? *only : seed_of_run() * 1000;
  const std::uint64_t count =
      only ? 1 : number_from_environment("PORTAIL_SIMULATION_SEEDS").value_or(PORTAIL_SIMULATION_SEEDS) / named.share;
  ASSERT_GE(count, 1U) << "no seed is run";
  std::printf("%s: seeds %llu to %llu\n", std::string(name).c_str(), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  std::fflush(stdout);  // also before a crash
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) run_seed(named, seed);
}

TEST(Simulation, AgreesWithTheOracle) { run_seeds("complete"); }
TEST(Simulation, AgreesWithTheOracleWithoutSnapshots) { run_seeds("no-snapshots"); }
TEST(Simulation, AgreesWithTheOracleWithoutCompareAndSwap) { run_seeds("no-compare-and-swap"); }
TEST(Simulation, AgreesWithTheOracleWithoutARevision) { run_seeds("no-revision"); }
TEST(Simulation, AgreesWithTheOracleWithEditions) { run_seeds("editions"); }
TEST(Simulation, AgreesWithTheOracleWithEditionsOfSnapshots) { run_seeds("editions-of-snapshots"); }
TEST(Simulation, AgreesWithTheOracleOnExports) { run_seeds("exports"); }
TEST(Simulation, AgreesWithTheOracleOnExportsWithoutSnapshots) { run_seeds("exports-without-snapshots"); }
TEST(Simulation, AgreesWithTheOracleWhereListsAreFiltered) { run_seeds("filtered-lists"); }
TEST(Simulation, AgreesWithTheOracleOnLongLists) { run_seeds("long-lists"); }
TEST(Simulation, AgreesWithTheOracleOnACatalogueOfSeveralParts) { run_seeds("large-catalogue"); }

TEST(Simulation, AgreesWithTheOracleForTheSeedsThatFailed) {
  std::vector<std::string> run;
  for (const FailedSeed& failed : failed_seeds) {
    ASSERT_NE(std::ranges::find(setups, failed.setup, &NamedSetup::name), setups.end()) << failed.setup;
    const Outcome outcome = run_seed(setup_named(failed.setup), failed.seed);
    if (outcome.answers > 50) run.push_back(std::string(failed.setup) + ' ' + std::to_string(failed.seed));
  }
  EXPECT_EQ(run.size(), failed_seeds.size());
  EXPECT_EQ(run.front(), "complete 1");
}

TEST(Simulation, IsTheSameForTheSameSeed) {
  EXPECT_EQ(simulate({.seed = 7, .requests = 150}).trace, simulate({.seed = 7, .requests = 150}).trace);
  EXPECT_NE(simulate({.seed = 7, .requests = 150}).trace, simulate({.seed = 8, .requests = 150}).trace);
}
// The other tests rely on these events.
TEST(Simulation, CancelsFailsAndImports) {
  const Outcome outcome = simulate({.seed = 1});
  EXPECT_GT(outcome.answers, 800);
  EXPECT_GT(outcome.failed_answers, 50);
  EXPECT_GT(outcome.cancelled, 20);
  EXPECT_GT(outcome.imports.complete, 5);
  EXPECT_GT(outcome.imports.unfinished, 2);
  EXPECT_GT(outcome.refused_answers, 50);
  EXPECT_GT(outcome.outages, 3);
  EXPECT_GT(outcome.rotations, 3);
  EXPECT_EQ(outcome.streamed_answers, 0);
  EXPECT_GT(
      simulate({.seed = 2, .requests = 400, .size = {.bundles = 40, .description_bytes = 16'000}}).streamed_answers, 0);
}
TEST(Simulation, LetsTokensExpireAndBodiesAndKeysWait) {
  const Outcome outcome = simulate({.seed = 2});
  EXPECT_GT(outcome.expired_answers, 20);
  EXPECT_GT(outcome.suspended_bodies, 20);
  EXPECT_GT(outcome.cut_bodies, 2);
  EXPECT_GT(outcome.refreshes, 1);
  EXPECT_GT(outcome.failed_refreshes, 1);
}
TEST(Simulation, FollowsImportsAndLocksThem) {
  const ImportCounts counts = simulate({.seed = 2}).imports;
  EXPECT_GT(counts.followed, 2);
  EXPECT_GT(counts.refused, 2);
  EXPECT_GT(counts.overlapping, 0);
}
TEST(Simulation, ExportsBesideImports) {
  const ExportCounts counts = simulate({.seed = 2, .traits = as_a_folder, .has_exports = true}).exports;
  EXPECT_GT(counts.complete, 2);
  EXPECT_GT(counts.of_an_interrupted_import, 0);
  EXPECT_GT(counts.refused, 2);
}
TEST(Simulation, SharesChecksOfEditions) {
  const Outcome outcome = simulate({.seed = 2, .traits = as_a_folder, .has_revision = false, .has_editions = true});
  EXPECT_GT(outcome.waits, 100);
  EXPECT_GT(outcome.ended_waits, 20);
  EXPECT_GT(outcome.failed_answers, 50);
  EXPECT_GT(outcome.cancelled, 20);
}
TEST(Simulation, SortsAndFiltersPages) {
  const Outcome outcome = simulate({.seed = 2});
  EXPECT_GT(outcome.sorted_pages, 20);
  EXPECT_GT(outcome.filtered_pages, 20);
}

}  // namespace
}  // namespace portail::simulation

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--seed") setenv("PORTAIL_SIMULATION_SEED", argv[i + 1], 1);
  }
  return RUN_ALL_TESTS();
}
