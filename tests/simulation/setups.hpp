// The setups of the simulation by name, and the seeds that found a fault in them. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "tests/simulation/simulation.hpp"

namespace portail::simulation {

inline constexpr KeyValueStore::Traits as_a_folder{
    .snapshots = false, .compare_and_swap = true, .atomic_batches = false};
inline constexpr KeyValueStore::Traits as_poor_as_may_be{
    .snapshots = false, .compare_and_swap = false, .atomic_batches = false};

struct NamedSetup {
  std::string_view name;
  Setup setup;
  std::uint64_t share;  // one of so many seeds is run
};

inline constexpr std::array setups{
    NamedSetup{"complete", {}, 1},
    NamedSetup{"no-snapshots", {.traits = as_a_folder}, 4},
    NamedSetup{"no-compare-and-swap", {.traits = as_poor_as_may_be}, 4},
    NamedSetup{"no-revision", {.has_revision = false}, 4},
    NamedSetup{"editions", {.traits = as_a_folder, .has_revision = false, .has_editions = true}, 1},
    NamedSetup{"editions-of-snapshots", {.has_revision = false, .has_editions = true}, 4},
    NamedSetup{"exports", {.has_exports = true}, 8},
    NamedSetup{"exports-without-snapshots", {.traits = as_a_folder, .has_exports = true}, 4},
    NamedSetup{"filtered-lists", {.filter_lists = true}, 8},
    NamedSetup{"long-lists", {.requests = 150, .size = {.bundles = 40, .description_bytes = 16'000}}, 24},
    NamedSetup{"large-catalogue", {.requests = 150, .traits = as_a_folder, .size = {.description_bytes = 16'000}}, 24},
};

inline const NamedSetup& setup_named(std::string_view name) {
  return *std::ranges::find(setups, name, &NamedSetup::name);
}

// Seeds that found a fault, in the product or in the model. Every run has them. A change of the simulation gives each
// seed another run.
struct FailedSeed {
  std::string_view setup;  // a name of `setups`
  std::uint64_t seed;
};

inline constexpr std::array failed_seeds{
    FailedSeed{.setup = "complete", .seed = 1},  // the filter did not find Ÿ as ÿ
    FailedSeed{.setup = "complete", .seed = 7},
    // a page during an import had more mail objects than its total
    FailedSeed{.setup = "large-catalogue", .seed = 1'795'648'868'000},
    // a new mail object had no configuration, which was read before it
    FailedSeed{.setup = "editions", .seed = 1'795'676'673'057},
    // a PUT's condition was compared with values read before its body
    FailedSeed{.setup = "complete", .seed = 1'795'689'976'053},
    FailedSeed{.setup = "no-revision", .seed = 1'795'689'970'006},
    // the model expected that a PUT's answer has nothing that was read before its body
    FailedSeed{.setup = "complete", .seed = 1'795'708'481'046},
};

}  // namespace portail::simulation
