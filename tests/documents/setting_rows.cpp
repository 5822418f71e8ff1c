// Prints the rows of core/settings_table.hpp as JSON, for settings_test.py to hold the documents against.
#include <cstdio>
#include <string>

#include "core/json/writer.hpp"
#include "core/settings_check.hpp"

int main() {
  using namespace portail;
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const Setting& setting : setting_table) {
    json.begin_object();
    json.name("name").string(setting.name);
    json.name("variable").string(setting.variable);
    json.name("isList").boolean(setting.is_list);
    json.name("isNumber").boolean(setting.kind == SettingKind::number || setting.kind == SettingKind::duration);
    json.name("isToggle").boolean(setting.kind == SettingKind::toggle);
    json.name("default").string(setting.default_value);
    json.name("allowed").string(allowed_by(setting));
    json.name("choices").begin_array();
    for (const std::string_view choice : setting.choices) {
      if (!choice.empty()) json.string(choice);
    }
    json.end_array();
    json.name("isHidden").boolean(setting.is_hidden);
    json.name("program").boolean(setting.hosts.program);
    json.name("component").boolean(setting.hosts.component);
    json.name("package").boolean(setting.hosts.package);
    json.end_object();
  }
  json.end_array();
  std::puts(text.c_str());
  return 0;
}
