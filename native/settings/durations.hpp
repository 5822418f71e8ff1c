// What people may write for a time: the units, and a reader for what is no setting of the table. Pure functions; any
// thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

// Those that core/settings_check.hpp reads.
inline constexpr std::string_view time_units = "ms, s, min, h or d";

// What the help and the manual say of all times, once.
std::string note_on_times();

// Whole seconds, as settings are read, up to a hundred years: "90", "1h"; with a minus before it, the same in the past.
std::optional<std::chrono::seconds> read_seconds(std::string_view text);

}  // namespace portail
