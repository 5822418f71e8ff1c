// Validation of UTF-8. Any thread.
#pragma once

#include <string_view>

namespace portail {

// Returns whether `text` is well-formed UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing beyond U+10FFFF.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace portail
