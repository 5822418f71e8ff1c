#include "native/system/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::size_t column = 16;
constexpr std::size_t state_column = 7;
constexpr std::string_view plain = "\033[0m";
constexpr std::string_view clear_line = "\r\033[K";

std::string_view colour_of(Severity severity) {
  switch (severity) {
    case Severity::ok:
      return "\033[32m";
    case Severity::warning:
      return "\033[33m";
    case Severity::error:
      break;
  }
  return "\033[31m";
}

}  // namespace

bool print_line(std::FILE* stream, std::string_view line) {
  return std::fputs((printable(line) + '\n').c_str(), stream) >= 0;
}

void print_row(std::string_view subject, std::string_view text) {
  std::string line(subject);
  line.resize(std::max(column, subject.size()), ' ');
  print_line(stdout, line.append(" ").append(text));
}

std::string_view state_of(Severity severity) {
  return severity == Severity::ok ? "ok" : severity == Severity::warning ? "warning" : "failed";
}

void print_state_row(std::string_view subject, Severity severity, std::string_view state, std::string_view text) {
  std::string line(printable(subject));
  line.resize(std::max(column, line.size()), ' ');
  std::string word(state);
  word.resize(std::max(state_column, word.size()), ' ');
  if (supports_colours(stdout)) word = std::string(colour_of(severity)) + word + std::string(plain);
  line.append(" ").append(word);
  if (!text.empty()) line.append(" ").append(printable(text));
  line.erase(line.find_last_not_of(' ') + 1);
  std::fputs((line + '\n').c_str(), stdout);
}

bool print_json_line(std::string_view json) {
  std::string line = printable_json(json);
  line += '\n';
  return std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
}

bool supports_cursor_control(std::FILE* stream) {
  const char* const terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) != "dumb" && isatty(fileno(stream)) == 1;
}

bool supports_colours(std::FILE* stream) {
  const char* const refused = std::getenv("NO_COLOR");
  return (!refused || *refused == '\0') && supports_cursor_control(stream);
}

void rewrite_line(std::string_view line) {
  std::fputs(std::string(clear_line).append(printable(line)).c_str(), stderr);
}

namespace {

constexpr std::chrono::milliseconds update_interval{100};
constexpr std::size_t width_of_step = 10;
constexpr std::uint64_t width_of_bar = 40;

// The step, padded to its column.
std::string line_prefix(std::string_view step) {
  std::string line(step);
  line.resize(std::max(line.size() + 1, width_of_step), ' ');
  return line;
}

}  // namespace

ProgressBar::ProgressBar(bool enabled) : shown_(enabled && supports_cursor_control(stderr)) {}

ProgressBar::~ProgressBar() {
  if (written_) rewrite_line("");
}

void ProgressBar::show(std::string_view step, std::uint64_t done, std::uint64_t all) {
  if (!is_due()) return;
  done = std::min(done, all);
  const std::uint64_t filled = all == 0 ? width_of_bar : done * width_of_bar / all;
  const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
  rewrite_line(line_prefix(step) + '[' + std::string(filled, '#') + std::string(width_of_bar - filled, '.') + "] " +
               std::to_string(percent) + " %");
}

void ProgressBar::show(std::string_view step, std::uint64_t done) {
  if (is_due()) rewrite_line(line_prefix(step) + std::to_string(done));
}

bool ProgressBar::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < update_interval) return false;
  last_ = now;
  written_ = true;
  return true;
}

}  // namespace portail
