// The seed of a test run. Host programs only, since it reads the environment. Any thread.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace portail {

// Returns the number in TEST_SEED, or 1 if it is unset. Tests that draw inputs at random derive their seeds from it:
// the same in every run, except where `.ci/run --full` sets a new one.
inline std::uint64_t seed_of_run() {
  const char* text = std::getenv("TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace portail
