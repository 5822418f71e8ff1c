#include "native/settings/setting_values.hpp"

#include <cstdlib>
#include <utility>

#include "core/settings/setting.hpp"
#include "core/settings/settings_check.hpp"
#include "native/system/system.hpp"

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

SettingValues::SettingValues() {
  for (const Setting& setting : setting_table)
    set(setting, {std::string(setting.default_value)}, SettingSource::default_value);
  set(*SettingName("store"), {"lmdb:" + user_folder("XDG_DATA_HOME", ".local/share")}, SettingSource::default_value);
}

void SettingValues::set(const Setting& setting, const std::vector<std::string>& texts, SettingSource source) {
  Entry& entry = entries_[static_cast<std::size_t>(&setting - setting_table.data())];
  std::string joined;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) joined += ',';
    joined += text;
  }
  if (source == SettingSource::file) entry.in_file = joined;
  if (source < entry.source) return;
  entry.text = std::move(joined);
  entry.source = source;
}

std::expected<void, Fault> SettingValues::check() const {
  for (const Setting& setting : setting_table) {
    if (auto checked = check(setting); !checked) return checked;
  }
  return {};
}

std::expected<void, Fault> SettingValues::check(const Setting& setting) const {
  const std::string& whole = text(setting);
  // Neither a default nor a value: nothing to check.
  if (source(setting) == SettingSource::default_value && whole.empty()) return {};
  for (const std::string& value : setting.is_list ? values_of_list(whole) : std::vector{whole}) {
    if (!check_value(setting, where(setting), value)) return invalid_value(setting, value);
  }
  return {};
}

std::string SettingValues::where(SettingName setting) const {
  switch (source(setting)) {
    case SettingSource::environment:
      return std::string(setting->variable);
    case SettingSource::file:
      return std::string(setting->name) + " in " + file_;
    case SettingSource::default_value:
    case SettingSource::flag:
      break;
  }
  return "--" + std::string(setting->name);
}

std::vector<std::string> SettingValues::list(SettingName setting) const { return values_of_list(text(setting)); }

std::int64_t SettingValues::number(SettingName setting) const {
  return read_number(setting, where(setting), text(setting)).value_or(0);
}

bool SettingValues::is_on(SettingName setting) const {
  return read_toggle(setting, where(setting), text(setting)).value_or(false);
}

std::unexpected<Fault> SettingValues::invalid_value(SettingName setting, std::string_view text) const {
  std::string line = refusal(setting, where(setting), text);
  if (setting->kind == SettingKind::duration) line.append("; it may have a unit: ").append(time_units);
  return wrong_usage(std::move(line));
}

}  // namespace portail
