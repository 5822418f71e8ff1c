// The progress of a long operation: one line on standard error that is rewritten, if that is a terminal; else nothing.
// One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace portail {

class ProgressBar {
 public:
  // If `enabled` is false, nothing is shown on a terminal either.
  explicit ProgressBar(bool enabled = true);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Clears the line.
  ~ProgressBar();

  // Shows the progress of `step`, a verb: `done` of `all`; 0 of 0 is shown as complete. Cheap: redraws at most ten
  // times a second.
  void show(std::string_view step, std::uint64_t done, std::uint64_t all);
  // For an unknown total.
  void show(std::string_view step, std::uint64_t done);

 private:
  // Whether the line is due to be redrawn.
  bool is_due();

  bool shown_;
  bool written_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace portail
