// The only file that uses toml++.
#include "native/settings/configuration_file.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <toml++/toml.hpp>

#include "core/base/nearest_name.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

// Text in the position of a name may be a secret: it is repeated only if it is written like a name.
bool is_name(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, is_plain);
}

std::string at(const toml::source_position& position) {
  return "line " + std::to_string(position.line) + ", column " + std::to_string(position.column);
}

// The construct that toml++ could not parse. The rest of its message repeats the input and is left out.
std::string_view scope_of(const toml::parse_error& error) {
  constexpr std::string_view beginning = "Error while parsing ";
  std::string_view text = error.description();
  if (!text.starts_with(beginning)) return "text";
  text.remove_prefix(beginning.size());
  return text.substr(0, text.find(':'));
}

bool is_list_of_texts(const toml::node& node) {
  const toml::array* const array = node.as_array();
  return array && std::ranges::all_of(*array, [](const toml::node& value) { return value.is_string(); });
}

bool has_unit(std::string_view text) { return !text.empty() && (text.back() < '0' || text.back() > '9'); }

// The value as typed in a flag, or nullopt if its type is not the setting's.
std::optional<std::vector<std::string>> texts_of(const Setting& setting, const toml::node& node) {
  switch (setting.kind) {
    case SettingKind::duration:
    case SettingKind::number:
      if (node.is_integer()) return std::vector{std::to_string(node.as_integer()->get())};
      // A number in quotes is invalid; one with a unit is a text.
      if (setting.kind == SettingKind::number || !node.is_string() || !has_unit(node.as_string()->get())) {
        return std::nullopt;
      }
      break;
    case SettingKind::toggle:
      if (!node.is_boolean()) return std::nullopt;
      return std::vector<std::string>{node.as_boolean()->get() ? "true" : "false"};
    default:
      break;
  }
  if (node.is_string()) return std::vector{node.as_string()->get()};
  if (!setting.is_list || !is_list_of_texts(node)) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& value : *node.as_array()) texts.push_back(value.as_string()->get());
  return texts;
}

std::string_view type_of(const Setting& setting) {
  if (setting.is_list) return R"(must be a list of texts, such as ["a", "b"])";
  if (setting.kind == SettingKind::number) return "must be a number, without quotes";
  if (setting.kind == SettingKind::duration) return R"(must be a number, or a text such as "5s")";
  if (setting.kind == SettingKind::toggle) return "must be true or false, without quotes";
  return "must be a text in quotes";
}

std::expected<void, Fault> read_entry(const toml::key& key, const toml::node& node, const std::string& file,
                                      SettingValues& values) {
  const std::string position = file + ", " + at(key.source().begin);
  const Setting* const setting = find_setting(key.str());
  if (!setting || !setting->in_file) {
    if (!is_name(key.str())) return wrong_usage("the configuration " + position + ": unknown setting");
    return wrong_usage("the configuration " + position + ": unknown " + (node.is_table() ? "table " : "setting ") +
                       std::string(key.str()) + suggested_setting(key.str()) +
                       "; `portail serve --help` lists them, without the dashes they are the file's names");
  }
  const auto texts = texts_of(*setting, node);
  if (!texts) {
    return wrong_usage("the configuration " + position + ": " + std::string(setting->name) + " " +
                       std::string(type_of(*setting)));
  }
  values.set(*setting, *texts, SettingSource::file);
  return {};
}

}  // namespace

std::string suggested_setting(std::string_view name) {
  NearestName nearest(name);
  for (const Setting& setting : setting_table) {
    if (setting.in_file && !setting.is_hidden) nearest.add(setting.name);
  }
  return nearest.question();
}

std::expected<void, Fault> read_configuration_file(const std::string& file, SettingValues& values) {
  if (file.empty()) return {};
  const auto text = read_small_file(file, values.where("config"));
  if (!text) return failure(text.error());
  values.set_file_name(file);
  try {
    const toml::table settings = toml::parse(*text);
    for (const auto& [key, node] : settings) {
      if (auto read = read_entry(key, node, file, values); !read) return read;
    }
  } catch (const toml::parse_error& error) {
    return wrong_usage("the configuration " + file + ", " + at(error.source().begin) +
                       ", is not TOML: a mistake in a " + std::string(scope_of(error)) +
                       "; each line is name = value, with texts in quotes");
  }
  return {};
}

std::expected<SettingValues, Fault> reread_configuration_file(const SettingValues& before) {
  SettingValues values;
  for (const Setting& setting : setting_table) {
    const SettingSource source = before.source(setting);
    if (source > SettingSource::file) values.set(setting, {before.text(setting)}, source);
  }
  if (auto read = read_configuration_file(values.text("config"), values); !read) return std::unexpected(read.error());
  if (auto checked = values.check(); !checked) return std::unexpected(checked.error());
  return values;
}

}  // namespace portail
