// Runs the seeds 1, 2, 3 … or the seed of PORTAIL_SIMULATION_SEED (or --seed N); PORTAIL_SIMULATION_SEEDS sets their
// number.
#include "tests/simulation/simulation.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace portail::simulation {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Runs one `share`-th of the seeds with `setup`.
void run_seeds(std::uint64_t share, Setup setup) {
  const std::uint64_t only = number_from_environment("PORTAIL_SIMULATION_SEED", 0);
  const std::uint64_t first = only ? only : 1;
  const std::uint64_t last =
      only ? only : number_from_environment("PORTAIL_SIMULATION_SEEDS", PORTAIL_SIMULATION_SEEDS) / share;
  ASSERT_GE(last, first) << "no seed is run";
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    setup.seed = seed;
    const Outcome outcome = simulate(setup);
    ASSERT_FALSE(outcome.failure) << "seed " << seed << ": " << *outcome.failure
                                  << "\nagain: PORTAIL_SIMULATION_SEED=" << seed;
  }
}

constexpr KeyValueStore::Traits as_a_folder{.snapshots = false, .compare_and_swap = true, .atomic_batches = false};
constexpr KeyValueStore::Traits as_poor_as_may_be{
    .snapshots = false, .compare_and_swap = false, .atomic_batches = false};

TEST(Simulation, AgreesWithTheOracle) { run_seeds(1, {}); }
TEST(Simulation, AgreesWithTheOracleWithoutSnapshots) { run_seeds(4, {.traits = as_a_folder}); }
TEST(Simulation, AgreesWithTheOracleWithoutCompareAndSwap) { run_seeds(4, {.traits = as_poor_as_may_be}); }
TEST(Simulation, AgreesWithTheOracleWhereListsAreFiltered) { run_seeds(8, {.filter_lists = true}); }
TEST(Simulation, AgreesWithTheOracleOnLongLists) { run_seeds(24, {.requests = 150, .size = {.bundles = 280}}); }
TEST(Simulation, AgreesWithTheOracleOnACatalogueOfSeveralParts) {
  run_seeds(24, {.requests = 150, .traits = as_a_folder, .size = {.description_bytes = 16'000}});
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
  EXPECT_GT(outcome.imports, 5);
  EXPECT_GT(outcome.unfinished_imports, 2);
  EXPECT_GT(outcome.refused_answers, 50);
  EXPECT_GT(outcome.outages, 3);
  EXPECT_GT(outcome.rotations, 3);
  EXPECT_EQ(outcome.streamed_answers, 0);
  EXPECT_GT(simulate({.seed = 1, .requests = 400, .size = {.bundles = 280}}).streamed_answers, 0);
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
