// Seeds that found a fault, in the product or in the model. Every run has them. A change of
// the simulation gives each seed another run.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace portail::simulation {

struct FailedSeed {
  std::string_view setup;  // a name of setups.hpp
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
