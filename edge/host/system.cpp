#include "edge/host/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace portail::edge {

Instant SystemClock::now() const {
  if (!read_) {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    last_ = {std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000};
    read_ = true;
  }
  return last_;
}

void SystemRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (left_ == 0) {
      if (getentropy(drawn_.data(), drawn_.size()) != 0) std::abort();
      left_ = drawn_.size();
    }
    const auto part = std::span(drawn_).last(left_).first(std::min(bytes.size(), left_));
    std::ranges::copy(part, bytes.begin());
    // Bytes that were handed out do not stay in this memory.
    std::ranges::fill(part, std::byte{});
    bytes = bytes.subspan(part.size());
    left_ -= part.size();
  }
}

}  // namespace portail::edge
