#include "native/settings/setting_values.hpp"

#include <cstdlib>

#include "core/settings_check.hpp"

namespace portail {

SettingValues::SettingValues() {
  for (const Setting& setting : setting_table) give(setting, {std::string(setting.preset)}, SettingSource::preset);
  give(*SettingName("store"), {default_store()}, SettingSource::preset);
}

void SettingValues::give(const Setting& setting, const std::vector<std::string>& texts, SettingSource source) {
  Given& place = given_[static_cast<std::size_t>(&setting - setting_table.data())];
  if (source < place.source) return;
  place = {.text = {}, .source = source};
  for (const std::string& text : texts) {
    if (&text != &texts.front()) place.text += ',';
    place.text += text;
  }
}

std::expected<void, Fault> SettingValues::check() const {
  for (const Setting& setting : setting_table) {
    if (auto checked = check(setting); !checked) return checked;
  }
  return {};
}

std::expected<void, Fault> SettingValues::check(const Setting& setting) const {
  const std::string& whole = text(setting);
  // Nothing of ours, and nothing of the operator's: there is nothing to judge.
  if (source(setting) == SettingSource::preset && whole.empty()) return {};
  for (const std::string& value : setting.is_list ? values_of_list(whole) : std::vector{whole}) {
    if (const auto checked = check_value(setting, where(setting), value); !checked) return wrong_usage(checked.error());
  }
  return {};
}

std::string SettingValues::where(SettingName setting) const {
  switch (source(setting)) {
    case SettingSource::environment:
      return std::string(setting->variable);
    case SettingSource::file:
      return std::string(setting->name) + " in " + file_;
    case SettingSource::preset:
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

std::unexpected<Fault> SettingValues::refuse(SettingName setting, std::string_view text) const {
  return wrong_usage(refusal(setting, where(setting), text));
}

std::string default_store() {
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home && *data_home == '/') return std::string("lmdb:") + data_home + "/portail";
  const char* home = std::getenv("HOME");
  return std::string("lmdb:") + (home ? home : "") + "/.local/share/portail";
}

}  // namespace portail
