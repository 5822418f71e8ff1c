// Limits repeated events in the log to the first one, and then one a minute. One thread at a time.
#pragma once

#include <chrono>
#include <optional>

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

}  // namespace portail
