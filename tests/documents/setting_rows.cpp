// Prints the rows of native/settings/setting_table.hpp as JSON, for settings_test.py to hold the documents against, and
// for tools/docs/reference.py to generate one.
#include <cstdio>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/settings/settings_check.hpp"
#include "native/settings/setting_table.hpp"

namespace {

std::string_view name_of(portail::SettingKind kind) {
  switch (kind) {
    using enum portail::SettingKind;
    case text:
    case identifier:
      return "text";
    case name:
      return "name";
    case number:
      return "number";
    case duration:
      return "duration";
    case toggle:
      return "toggle";
    case choice:
      return "choice";
    case origin:
      return "origin";
    case address:
      return "address";
    case address_range:
      return "address range";
    case file:
      return "file";
    case key_set:
      return "key set";
    case store:
      return "store";
  }
  return "";
}

}  // namespace

int main() {
  using namespace portail;
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const Setting& setting : setting_table) {
    json.begin_object();
    json.name("name").string(setting.name);
    json.name("variable").string(setting.variable);
    json.name("kind").string(name_of(setting.kind));
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
    json.name("help").string(setting.help);
    json.name("group").string(setting.group);
    json.name("inFile").boolean(setting.in_file);
    json.name("isHidden").boolean(setting.is_hidden);
    json.name("program").boolean(setting.hosts.program);
    json.name("component").boolean(setting.hosts.component);
    json.name("package").boolean(setting.hosts.package);
    json.name("management").boolean(setting.hosts.management);
    json.end_object();
  }
  json.end_array();
  std::puts(text.c_str());
  return 0;
}
