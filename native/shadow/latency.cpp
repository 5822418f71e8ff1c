#include "native/shadow/latency.hpp"

#include <algorithm>
#include <bit>

namespace portail::shadow {
namespace {

constexpr std::uint64_t half = 32;  // buckets for each power of two

}  // namespace

void Latencies::record(std::chrono::microseconds time) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  const auto width = static_cast<unsigned>(std::bit_width(value));
  const unsigned shift = width > exact_bits ? width - exact_bits : 0;
  ++counts_[shift * half + (value >> shift)];
  ++count_;
}

std::chrono::microseconds Latencies::percentile(unsigned percent) const {
  const std::uint64_t rank = (count_ * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size() && count_ > 0; ++i) {
    seen += counts_[i];
    if (seen < std::max<std::uint64_t>(rank, 1)) continue;
    const std::uint64_t shift = i < 2 * half ? 0 : i / half - 1;
    const std::uint64_t first = i - shift * half;
    return std::chrono::microseconds(((first + 1) << shift) - 1);
  }
  return std::chrono::microseconds(0);
}

}  // namespace portail::shadow
