// Standard error by an import of its own: write() of wasi-libc would add an import of file systems.
#pragma once

#include <string_view>

namespace portail::edge {

// Writes all of `text`, blocking. Errors are ignored: there is no other output to report them on.
void write_standard_error(std::string_view text);

}  // namespace portail::edge
