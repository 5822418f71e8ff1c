// UTF-8 (RFC 3629). Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

// Returns whether `text` is well-formed UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing beyond U+10FFFF.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

// Appends a character, at most U+10FFFF.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace portail
