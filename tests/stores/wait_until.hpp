// For what another process or thread brings about. One thread.
#pragma once

#include <chrono>
#include <functional>

#include <gtest/gtest.h>

namespace portail {

// Looks until it is so, for a minute at most.
inline void wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_so()) ASSERT_LT(std::chrono::steady_clock::now(), end);
}

}  // namespace portail
