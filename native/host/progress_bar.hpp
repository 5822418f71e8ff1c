// How far a long piece of work is, for a person: one line on standard error that is written again and again, where that
// is a terminal that can; else nothing. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace portail {

class ProgressBar {
 public:
  // Where it is not `wanted`, there is none on a terminal either.
  explicit ProgressBar(bool wanted = true);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Takes the line away.
  ~ProgressBar();

  // `step` says what is being done, in a word; `all` is how much of it there is, 0 where nothing is to be done. Costs
  // next to nothing, however often it is told.
  void show(std::string_view step, std::uint64_t done, std::uint64_t all);
  // For an unknown total.
  void show(std::string_view step, std::uint64_t done);

 private:
  // Whether the line is to be written now.
  bool is_due();

  bool shown_;
  bool written_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace portail
