#include "edge/host/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace portail::edge {

Instant SystemClock::now() const {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return {std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000};
}

void SystemRandom::fill(std::span<std::byte> bytes) {
  constexpr std::size_t most_at_once = 256;  // POSIX, getentropy
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), most_at_once));
    if (getentropy(part.data(), part.size()) != 0) std::abort();
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace portail::edge
