// Counters that the helper processes of the tests increment by compare-and-swap. One thread.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/stores/conformance.hpp"

namespace portail {

// Adds one to the number under the key, concurrently with other processes. Returns false if a call failed.
inline bool add_one(StoreClient& client, std::string_view key) {
  for (;;) {
    const auto seen = client.get(key);
    const std::string next = std::to_string(std::atoi(seen.value_or("0").c_str()) + 1);
    const auto swapped = client.swap(key, seen ? Value(*seen) : std::nullopt, next);
    if (!swapped) return false;
    if (*swapped) return true;
  }
}

inline bool count_up(StoreClient& client, std::string_view key, const std::string& times) {
  for (int left = std::atoi(times.c_str()); left > 0; --left) {
    if (!add_one(client, key)) return false;
  }
  return true;
}

}  // namespace portail
