// Durations as users write them: the units, and a reader for options outside the table. Pure functions; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

// The units that core/settings/settings_check.hpp reads.
inline constexpr std::string_view time_units = "ms, s, min, h or d";

// The explanation of durations in the help and the manual.
std::string duration_note();

// Parses whole seconds of at most a hundred years, such as "90" or "1h"; negative with a leading minus.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

}  // namespace portail
