#include "native/system/progress_bar.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include "native/system/terminal.hpp"

namespace portail {
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
