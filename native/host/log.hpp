// The program's log: JSON objects, one a line, on standard error. Lines of requests are gathered for a moment before
// they are written; a warning, a record, and the end are written immediately. A slow reader of the log delays requests
// only briefly (log_writer.hpp). Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "native/host/log_writer.hpp"

namespace portail {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogField {
  std::string_view name;  // a constant that needs no escaping
  std::string_view text;  // UTF-8; bytes that are none are replaced
};

class JsonLog final : public Log {
 public:
  explicit JsonLog(LogLevel level);

  void warn(std::string_view event, std::string_view detail) override;
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
  // `members` is written as it is after time and level: JSON members, each with a comma before it.
  void write_raw(LogLevel level, std::string_view members);
  // The same, of the level info, whatever the level is that the log takes: a record, for which there is room even where
  // other lines are lost. Written when this returns, unless the log is not read: however the program ends after it, the
  // line is there.
  void write_always(std::string_view members);
  [[nodiscard]] bool takes(LogLevel level) const;
  void set_level(LogLevel level) { level_ = level; }
  // Waits until all is written, for a second at most.
  void flush() { writer_.flush(); }
  // The end of the log: writes what there is, and gives up what its reader does not take. What comes later is lost.
  // Once.
  void close() { writer_.close(); }

 private:
  void write_line(LogLevel level, std::string_view members);

  std::atomic<LogLevel> level_;
  LogWriter writer_;
};

// Appends `"value"` as JSON; what is no UTF-8 becomes '?', byte by byte.
void append_log_string(std::string& out, std::string_view value);
// The same as a string of its own.
std::string log_string(std::string_view value);

}  // namespace portail
