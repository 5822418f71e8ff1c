// Standard error, asked of the host itself: write() of wasi-libc would have a component import file systems too.
#pragma once

#include <string_view>

namespace portail::edge {

// All of `text`, before it returns. What the host does not take is lost: there is nowhere to say so.
void write_standard_error(std::string_view text);

}  // namespace portail::edge
