// The distribution of times, in a fixed memory. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace portail::shadow {

class Latencies {
 public:
  void record(std::chrono::microseconds time);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Returns a time that this share of the times, in percent, does not exceed: at most 3 % above the exact one. Zero
  // without times.
  [[nodiscard]] std::chrono::microseconds percentile(unsigned percent) const;

 private:
  // Buckets of exact times up to 64 µs, then 32 for each power of two.
  static constexpr unsigned exact_bits = 6;
  static constexpr std::size_t bucket_count = (64 - exact_bits + 1) * 32U + 32U;

  std::array<std::uint64_t, bucket_count> counts_{};
  std::uint64_t count_ = 0;
};

}  // namespace portail::shadow
