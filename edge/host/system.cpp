#include "edge/host/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace portail::edge {

Instant SystemClock::now() const {
  if (!valid_) {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    cached_ = {std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000};
    valid_ = true;
  }
  return cached_;
}

void SystemRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (remaining_ == 0) {
      if (getentropy(pool_.data(), pool_.size()) != 0) std::abort();
      remaining_ = pool_.size();
    }
    const auto part = std::span(pool_).last(remaining_).first(std::min(bytes.size(), remaining_));
    std::ranges::copy(part, bytes.begin());
    // Bytes that were returned are erased here.
    std::ranges::fill(part, std::byte{});
    bytes = bytes.subspan(part.size());
    remaining_ -= part.size();
  }
}

}  // namespace portail::edge
