// Limits repeated events in the log to the first one, and then one a minute. One thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

class LogThrottle {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether this event is to be logged; then the next one is due in a minute.
  bool is_due(Time now = std::chrono::steady_clock::now()) {
    if (last_ && now < *last_ + std::chrono::minutes{1}) return false;
    last_ = now;
    return true;
  }

 private:
  std::optional<Time> last_;
};

// The same for a count that grows.
class CountThrottle {
 public:
  // Returns the detail of the line, how much the count has grown since the last one, if it is to be logged.
  std::optional<std::string> due(std::uint64_t count) {
    if (count == logged_ || !throttle_.is_due()) return std::nullopt;
    return std::to_string(count - std::exchange(logged_, count)) + " since the last report";
  }

 private:
  LogThrottle throttle_;
  std::uint64_t logged_ = 0;
};

// The same for each of the last 16 causes.
class CauseThrottle {
 public:
  using Time = LogThrottle::Time;

  // Whether this cause is to be logged; then it is due again after a minute.
  bool is_due(std::string_view cause, Time now = std::chrono::steady_clock::now()) {
    std::erase_if(logged_, [now](const auto& entry) { return now >= entry.second + std::chrono::minutes{1}; });
    if (std::ranges::contains(logged_, cause, [](const auto& entry) { return std::string_view(entry.first); }))
      return false;
    if (logged_.size() == max_causes) logged_.erase(logged_.begin());
    logged_.emplace_back(cause, now);
    return true;
  }

 private:
  static constexpr std::size_t max_causes = 16;

  std::vector<std::pair<std::string, Time>> logged_;  // the oldest first
};

}  // namespace portail
