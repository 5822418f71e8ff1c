#include "native/settings/durations.hpp"

#include "core/settings/setting.hpp"
#include "core/settings/settings_check.hpp"

namespace portail {
namespace {

constexpr Setting seconds{.name = "seconds", .kind = SettingKind::duration, .max = 3'155'760'000, .unit = "seconds"};

}  // namespace

std::string duration_note() {
  return "A time is a number of the unit that is named, or has its own: " + std::string(time_units);
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text) {
  const bool is_past = text.starts_with('-');
  const auto number = read_number(seconds, "", is_past ? text.substr(1) : text);
  if (!number) return std::nullopt;
  return std::chrono::seconds(is_past ? -*number : *number);
}

}  // namespace portail
