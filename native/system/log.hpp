// The program's log: JSON objects, one a line, on standard error. Request lines are written in batches; warnings and
// records are written immediately. A slow reader delays requests only briefly (log_writer.hpp). Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/json/log_line.hpp"
#include "native/system/log_throttle.hpp"
#include "native/system/log_writer.hpp"

namespace portail {

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
