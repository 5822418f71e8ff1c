// The one way of lines to people, on standard output and standard error: whatever a document, a key set, a token or a
// file name holds, it neither ends a line nor commands a terminal (core/base/printable.hpp). Data that programs read
// goes past this. One thread.
#pragma once

#include <cstdio>
#include <string_view>

namespace portail {

void print_line(std::FILE* stream, std::string_view line);

// On standard output: what it is about, in a column of its own, and what there is to say.
void print_row(std::string_view subject, std::string_view text);

// The line of progress, on standard error: written over the one before, and without an end.
void rewrite_line(std::string_view line);

}  // namespace portail
