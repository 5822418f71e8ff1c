// Waits for the effects of other processes and threads. One thread.
#pragma once

#include <chrono>
#include <functional>

#include <gtest/gtest.h>

namespace portail {

// Polls the condition until it is true; fails after a minute.
inline void wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) ASSERT_LT(std::chrono::steady_clock::now(), end);
}

}  // namespace portail
