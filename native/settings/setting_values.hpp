// The values of settings, by the names of their rows.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/settings/fault.hpp"
#include "native/settings/setting_table.hpp"

namespace portail {

// Durations as users write them: the units, and a reader for options outside the table. Pure functions; any thread.

// The units that core/settings/settings_check.hpp reads.
inline constexpr std::string_view time_units = "ms, s, min, h or d";

// The explanation of durations in the help and the manual.
std::string duration_note();

// Parses whole seconds of at most a hundred years, such as "90" or "1h"; negative with a leading minus.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

// The values of all settings in one run, and their sources. A flag precedes the environment, which precedes the
// configuration file, which precedes the default. One thread.

// In ascending order of precedence.
enum class SettingSource : std::uint8_t { default_value, file, environment, flag };

class SettingValues {
 public:
  // All settings have their defaults.
  SettingValues();

  // Sets the value of a source; it is in force unless a source of higher precedence has set the setting. A list
  // replaces the whole list of lower precedence.
  void set(const Setting& setting, const std::vector<std::string>& texts, SettingSource source);
  // The name of the configuration file, for where().
  void set_file_name(std::string file) { file_ = std::move(file); }
  // Sets the names of the environment variables that an orchestrator added, for the log.
  void set_ignored_variables(std::string names) { ignored_variables_ = std::move(names); }

  // Checks each value by the table. A fault is wrong usage.
  [[nodiscard]] std::expected<void, Fault> check() const;

  [[nodiscard]] SettingSource source(SettingName setting) const { return entry(setting).source; }
  // The setting as the operator wrote it: --leeway, PORTAIL_LEEWAY, "leeway in portail.toml".
  [[nodiscard]] std::string where(SettingName setting) const;
  // The value in the configuration file, even if it is not in force; nullopt if the file has none.
  [[nodiscard]] const std::optional<std::string>& in_file(SettingName setting) const { return entry(setting).in_file; }
  [[nodiscard]] const std::string& ignored_variables() const { return ignored_variables_; }
  // Empty if the setting has no value and no default.
  [[nodiscard]] const std::string& text(SettingName setting) const { return entry(setting).text; }
  [[nodiscard]] std::vector<std::string> list(SettingName setting) const;
  // Requires a successful check().
  [[nodiscard]] std::int64_t number(SettingName setting) const;
  [[nodiscard]] bool is_on(SettingName setting) const;

  // The fault that this text is not allowed for the setting.
  [[nodiscard]] std::unexpected<Fault> invalid_value(SettingName setting, std::string_view text) const;

 private:
  struct Entry {
    std::string text;  // a list has commas between its values
    SettingSource source = SettingSource::default_value;
    std::optional<std::string> in_file = {};
  };

  [[nodiscard]] const Entry& entry(SettingName setting) const {
    return entries_[static_cast<std::size_t>(&*setting - setting_table.data())];
  }
  [[nodiscard]] std::expected<void, Fault> check(const Setting& setting) const;

  std::array<Entry, setting_table.size()> entries_;
  std::string file_;
  std::string ignored_variables_;
};

}  // namespace portail
