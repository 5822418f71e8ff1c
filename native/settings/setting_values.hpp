// What the settings of one run of the program are, and where each came from. A flag beats the environment, which beats
// the configuration file, which beats what the table has. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings_table.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// The weakest first.
enum class SettingSource : std::uint8_t { default_value, file, environment, flag };

class SettingValues {
 public:
  // What the table has, and the default store.
  SettingValues();

  // Changes nothing in force where a stronger source gave the setting already. The values of a list replace those of a
  // weaker source.
  void give(const Setting& setting, const std::vector<std::string>& texts, SettingSource source);
  // What the configuration file is called, for where().
  void name_file(std::string file) { file_ = std::move(file); }

  // The first value that makes no sense, by the table; a fault is wrong usage.
  [[nodiscard]] std::expected<void, Fault> check() const;

  [[nodiscard]] SettingSource source(SettingName setting) const { return given(setting).source; }
  // What the operator knows the setting by: --leeway, PORTAIL_LEEWAY, "leeway in portail.toml".
  [[nodiscard]] std::string where(SettingName setting) const;
  // What the configuration file has, whatever counts instead; nothing where it has none.
  [[nodiscard]] const std::optional<std::string>& in_file(SettingName setting) const { return given(setting).in_file; }
  // Empty where nothing was given and the table has nothing.
  [[nodiscard]] const std::string& text(SettingName setting) const { return given(setting).text; }
  [[nodiscard]] std::vector<std::string> list(SettingName setting) const;
  // Only once check() has nothing to say.
  [[nodiscard]] std::int64_t number(SettingName setting) const;
  [[nodiscard]] bool is_on(SettingName setting) const;

  // That the text is none of what the setting allows.
  [[nodiscard]] std::unexpected<Fault> refuse(SettingName setting, std::string_view text) const;

 private:
  struct Given {
    std::string text;  // of a list: its values with commas between them
    SettingSource source = SettingSource::default_value;
    std::optional<std::string> in_file = {};
  };

  [[nodiscard]] const Given& given(SettingName setting) const {
    return given_[static_cast<std::size_t>(&*setting - setting_table.data())];
  }
  [[nodiscard]] std::expected<void, Fault> check(const Setting& setting) const;

  std::array<Given, setting_table.size()> given_;
  std::string file_;
};

// `lmdb:` and a folder beneath XDG_DATA_HOME, or beneath ~/.local/share.
std::string default_store();

}  // namespace portail
