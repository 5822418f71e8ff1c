// Prints lines on standard output and standard error. Control characters of documents, key sets, tokens and file names
// are escaped, so that they neither end a line nor control a terminal (core/base/printable.hpp). JSON is printed by
// print_json_line(). One thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace portail {

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

}  // namespace portail
