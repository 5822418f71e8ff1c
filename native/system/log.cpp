#include "native/system/log.hpp"

#include <unistd.h>

#include "core/base/printable.hpp"
#include "core/base/utc_text.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "native/system/system.hpp"

namespace portail {
namespace {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      break;
  }
  return "error";
}

// A log line without its line break.
std::string line_of(LogLevel level, std::string_view members) {
  std::string line;
  line.reserve(members.size() + 80);
  line.append("{\"time\":\"");
  append_utc_text(line, SystemClock().now());
  line.append("\",\"level\":\"").append(name_of(level)).append("\"");
  append_printable_json(line, members);
  line.append("}");
  return line;
}

std::string dropped_lines_message(std::uint64_t lines) {
  return line_of(LogLevel::warning, ",\"event\":\"log lines were lost: they were not read in time\",\"detail\":\"" +
                                        std::to_string(lines) + "\"");
}

}  // namespace

JsonLog::JsonLog(LogLevel level) : level_(level), writer_(STDERR_FILENO, dropped_lines_message) {}

void JsonLog::warn(std::string_view event, std::string_view detail) {
  write(LogLevel::warning, event, {{.name = "detail", .text = detail}});
}

void JsonLog::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!is_enabled(level)) return;
  std::string members = ",\"event\":";
  append_log_string(members, event);
  for (const LogField& field : fields) {
    members.append(",\"").append(field.name).append("\":");
    append_log_string(members, field.text);
  }
  write_raw(level, members);
}

void JsonLog::write_raw(LogLevel level, std::string_view members) {
  if (is_enabled(level)) write_line(level, members);
}

void JsonLog::write_record(std::string_view members) { writer_.add_record(line_of(LogLevel::info, members)); }

void JsonLog::write_line(LogLevel level, std::string_view members) {
  writer_.add(line_of(level, members), LogWriter::Priority::normal);
  if (level >= LogLevel::warning) writer_.flush_soon();
}

bool JsonLog::is_enabled(LogLevel level) const { return level >= level_; }

void append_log_string(std::string& out, std::string_view value) {
  if (is_valid_utf8(value)) return append_json_string(out, value);
  std::string ascii(value);
  for (char& c : ascii) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  append_json_string(out, ascii);
}

std::string log_string(std::string_view value) {
  std::string quoted;
  append_log_string(quoted, value);
  return quoted;
}

}  // namespace portail
