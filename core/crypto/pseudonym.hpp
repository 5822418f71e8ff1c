// Pseudonyms of subjects for the log. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Returns 32 hexadecimal digits: HMAC-SHA-256 of the subject, shortened. With the same key, a subject has the same
// pseudonym.
[[nodiscard]] std::string pseudonym_of(std::string_view subject, std::string_view key);

}  // namespace portail
