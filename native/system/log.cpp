#include "native/system/log.hpp"

#include <unistd.h>

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

std::string line_of(LogLevel level, std::string_view members) {
  return log_line(SystemClock().now(), name_of(level), members);
}

std::string dropped_lines_message(std::uint64_t lines) {
  return line_of(LogLevel::warning, ",\"event\":\"log lines were lost: they were not read in time\",\"detail\":\"" +
                                        std::to_string(lines) + "\"");
}

}  // namespace

JsonLog::JsonLog(LogLevel level) : level_(level), writer_(STDERR_FILENO, dropped_lines_message) {}

void JsonLog::warn(std::string_view event, std::string_view detail) {
  if (event == "consultation not recorded" || event == "request failed") {  // of each request while writes fail
    const std::lock_guard lock(throttle_mutex_);
    if (!throttle_.is_due(std::string(event).append("\n").append(detail))) return;
  }
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

void JsonLog::record(std::string_view members) { writer_.add_record(line_of(LogLevel::info, members)); }

void JsonLog::write_line(LogLevel level, std::string_view members) {
  writer_.add(line_of(level, members), LogWriter::Priority::normal);
  if (level >= LogLevel::warning) writer_.flush_soon();
}

bool JsonLog::is_enabled(LogLevel level) const { return level >= level_; }

std::string log_string(std::string_view value) {
  std::string quoted;
  append_log_string(quoted, value);
  return quoted;
}

void LastWarning::warn(std::string_view event, std::string_view detail) {
  text_.assign(event);
  if (!detail.empty()) text_.append(": ").append(detail);
}

std::string LastWarning::text_or(std::string_view otherwise) const {
  return text_.empty() ? std::string(otherwise) : text_;
}

}  // namespace portail
