#include "native/host/log.hpp"

#include <cerrno>
#include <chrono>
#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "core/base/utc_text.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "native/host/system.hpp"

namespace portail {
namespace {

constexpr std::size_t gathered_bytes = 32 * 1024;
constexpr std::chrono::milliseconds gathered_time{200};

// Gathers lines, so that a request does not pay for a system call of its own.
class GatheringSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  ~GatheringSink() override { write_out(); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.append(message.payload.data(), message.payload.size()).append("\n");
    if (lines_.size() >= gathered_bytes) write_out();
  }
  void flush_() override { write_out(); }

 private:
  void write_out() {
    std::string_view left = lines_;
    while (!left.empty()) {
      const ssize_t count = write(STDERR_FILENO, left.data(), left.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;  // nobody to tell it to
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    lines_.clear();
  }

  std::string lines_;
};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      break;
  }
  return spdlog::level::err;
}

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

}  // namespace

JsonLog::JsonLog(LogLevel level)
    : level_(level), logger_(std::make_shared<spdlog::logger>("portail", std::make_shared<GatheringSink>())) {
  logger_->set_level(spdlog::level::trace);
  logger_->flush_on(spdlog::level::warn);
  spdlog::register_logger(logger_);
  spdlog::flush_every(gathered_time);
}

JsonLog::~JsonLog() {
  logger_->flush();
  spdlog::shutdown();
}

void JsonLog::warn(std::string_view event, std::string_view detail) {
  write(LogLevel::warning, event, {{.name = "detail", .text = detail}});
}

void JsonLog::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!takes(level)) return;
  std::string members = ",\"event\":";
  append_log_string(members, event);
  for (const LogField& field : fields) {
    members.append(",\"").append(field.name).append("\":");
    append_log_string(members, field.text);
  }
  write_raw(level, members);
}

void JsonLog::write_raw(LogLevel level, std::string_view members) {
  if (takes(level)) write_line(level, members);
}

void JsonLog::write_always(std::string_view members) { write_line(LogLevel::info, members); }

void JsonLog::write_line(LogLevel level, std::string_view members) {
  std::string line;
  line.reserve(members.size() + 80);
  line.append("{\"time\":\"")
      .append(utc_text(SystemClock().now()))
      .append("\",\"level\":\"")
      .append(name_of(level))
      .append("\"")
      .append(members)
      .append("}");
  logger_->log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

bool JsonLog::takes(LogLevel level) const { return level >= level_; }

void JsonLog::flush() { logger_->flush(); }

void append_log_string(std::string& out, std::string_view value) {
  if (is_valid_utf8(value)) return append_json_string(out, value);
  std::string ascii(value);
  for (char& c : ascii) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  append_json_string(out, ascii);
}

}  // namespace portail
