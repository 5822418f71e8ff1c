// The log of the program, and limits of its repeated warnings.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.hpp"
#include "core/json/writer.hpp"
#include "native/system/log_writer.hpp"

namespace portail {

// A Log that keeps the last warning of the core and the stores, for an error message of the caller. One thread.

class LastWarning final : public Log {
 public:
  void warn(std::string_view event, std::string_view detail) override;
  void record(std::string_view) override {}
  // The last warning, or `otherwise` if there was none.
  [[nodiscard]] std::string text_or(std::string_view otherwise) const;

 private:
  std::string text_;
};

// Limits repeated events in the log to the first one, and then one a minute. One thread at a time.

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

// The program's log: JSON objects, one a line, on standard error. Request lines are written in batches; warnings and
// records are written immediately. A slow reader delays requests only briefly (log_writer.hpp). Any thread.

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogField {
  std::string_view name;  // a constant without characters that need escaping
  std::string_view text;  // UTF-8; invalid bytes are replaced
};

class JsonLog final : public Log {
 public:
  explicit JsonLog(LogLevel level);

  // Writes a failure of requests with the same detail at most once a minute.
  void warn(std::string_view event, std::string_view detail) override;
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
  // Writes a line if `level` is enabled. `members` are JSON members, each after a comma, written unchanged after time
  // and level.
  void write_raw(LogLevel level, std::string_view members);
  // Capacity is reserved for records. A record is written when this returns, unless the log is not read, so it survives
  // any end of the program.
  void record(std::string_view members) override;
  [[nodiscard]] bool is_enabled(LogLevel level) const;
  void set_level(LogLevel level) { level_ = level; }
  // Waits until all lines are written, at most one second.
  void flush() { writer_.flush(); }
  // Writes the pending lines, and drops those that its reader does not accept in time. Later lines are dropped. Call it
  // once.
  void close() { writer_.close(); }

 private:
  void write_line(LogLevel level, std::string_view members);

  std::atomic<LogLevel> level_;
  std::mutex throttle_mutex_;
  CauseThrottle throttle_;
  LogWriter writer_;
};

// Returns `value` as a JSON string, as append_log_string() does.
std::string log_string(std::string_view value);

}  // namespace portail
