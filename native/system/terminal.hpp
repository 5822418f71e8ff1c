// What commands print on a terminal: lines, rows, numbers with nouns, and progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace portail {

// A number with its noun, in the singular or the plural. Pure; any thread.

// "1 key", "0 keys"; `one` and `more` are the noun and what may follow it.
inline std::string counted(std::uint64_t number, std::string_view one, std::string_view more) {
  return (std::to_string(number) + ' ').append(number == 1 ? one : more);
}

// Prints lines on standard output and standard error. Control characters of documents, key sets, tokens and file names
// are escaped, so that they neither end a line nor control a terminal (core/base/text.hpp). JSON is printed by
// print_json_line(). One thread.

// Returns false if the write fails.
bool print_line(std::FILE* stream, std::string_view line);

// Prints a subject, padded to its column, and a text, on standard output.
void print_row(std::string_view subject, std::string_view text);

enum class Severity : std::uint8_t { ok, warning, error };

// The state of a check with that severity: "ok", "warning" or "failed".
std::string_view state_of(Severity severity);

// The same with a state between the two, coloured by its severity on a terminal.
void print_state_row(std::string_view subject, Severity severity, std::string_view state, std::string_view text);

// Prints a line of JSON on standard output, with control characters escaped, so that its value is unchanged. Returns
// false if the write fails.
bool print_json_line(std::string_view json);

// Whether the stream is a terminal with cursor control, which TERM=dumb has not.
bool supports_cursor_control(std::FILE* stream);

// Whether the stream is such a terminal and NO_COLOR is unset (https://no-color.org).
bool supports_colours(std::FILE* stream);

// Replaces the current line on standard error, without a line break.
void rewrite_line(std::string_view line);

// The progress of a long operation: one line on standard error that is rewritten, if that is a terminal; else nothing.
// One thread.

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
