// The setups of the simulation, by name. Any thread.
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
    NamedSetup{"exports", {.has_exports = true}, 8},
    NamedSetup{"exports-without-snapshots", {.traits = as_a_folder, .has_exports = true}, 4},
    NamedSetup{"filtered-lists", {.filter_lists = true}, 8},
    NamedSetup{"long-lists", {.requests = 150, .size = {.bundles = 40, .description_bytes = 16'000}}, 24},
    NamedSetup{"large-catalogue", {.requests = 150, .traits = as_a_folder, .size = {.description_bytes = 16'000}}, 24},
};

inline const NamedSetup& setup_named(std::string_view name) {
  return *std::ranges::find(setups, name, &NamedSetup::name);
}

}  // namespace portail::simulation
