// The normalization forms C and D of Unicode 14. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Returns the text in form C: equal for texts that are canonically equivalent, é and e with
// U+0301. Characters beyond the Basic Multilingual Plane, CJK compatibility ideographs, and a text that is not UTF-8
// stay.
[[nodiscard]] std::string composed(std::string_view text);

// Returns the text in form D, within the same limits: each base letter before its marks.
[[nodiscard]] std::string decomposed(std::string_view text);

}  // namespace portail
