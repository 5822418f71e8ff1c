// The one way of lines to people, on standard output and standard error: whatever a document, a key set, a token or a
// file name holds, it neither ends a line nor commands a terminal (core/base/printable.hpp). JSON goes by
// print_json_line(); what is exported goes past this. One thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace portail {

// False where it cannot be written.
bool print_line(std::FILE* stream, std::string_view line);

// On standard output: what it is about, in a column of its own, and what there is to say.
void print_row(std::string_view subject, std::string_view text);

enum class Tone : std::uint8_t { good, doubtful, bad };

// The same with a word between the two that says how it is: in its colour where a person sees it.
void print_state_row(std::string_view subject, Tone tone, std::string_view state, std::string_view text);

// A line of JSON for programs, on standard output: what a terminal would take for a command is escaped, so that the
// value stays what it is. False where it cannot be written.
bool print_json_line(std::string_view json);

// A picture over the one before, on standard output, its commands to the terminal included.
void print_picture(std::string_view picture);

// Whether what was written there may be written over: on a terminal that takes commands, as TERM=dumb does not.
bool may_be_rewritten(std::FILE* stream);

// Whether what goes there may have colours: on such a terminal, unless NO_COLOR is set (https://no-color.org).
bool may_have_colours(std::FILE* stream);

// The line of progress, on standard error: written over the one before, and without an end.
void rewrite_line(std::string_view line);

}  // namespace portail
