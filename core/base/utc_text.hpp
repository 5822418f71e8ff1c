// Formats instants for people and logs. Pure functions; any thread.
#pragma once

#include <string>

#include "core/base/time.hpp"

namespace portail {

// RFC 3339 in UTC, always with six decimals of the second: 2024-01-15T09:30:00.123456Z. Years 0000 to 9999.
[[nodiscard]] std::string utc_text(Instant instant);
void append_utc_text(std::string& out, Instant instant);
// The same without the fraction: 2024-01-15T09:30:00Z.
[[nodiscard]] std::string utc_text_to_the_second(Instant instant);

}  // namespace portail
