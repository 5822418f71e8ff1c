#include "edge/host/system.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

#include <unistd.h>

#include "core/json/writer.hpp"

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

void LineLog::warn(std::string_view event, std::string_view detail) {
  std::string members = ",\"event\":";
  append_log_string(members, event);
  members.append(",\"detail\":");
  append_log_string(members, detail);
  write(log_line(clock_.now(), "warning", members) + '\n');
}

void LineLog::record(std::string_view members) { write(log_line(clock_.now(), "info", members) + '\n'); }

}  // namespace portail::edge
