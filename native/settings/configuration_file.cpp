#include "native/settings/configuration_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <CLI/CLI.hpp>

#include "native/host/small_file.hpp"

namespace portail {
namespace {

// A line that is no setting at all may be a secret: only what is written as names are is repeated.
bool is_name(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
  };
  return text.size() <= 40 && std::ranges::all_of(text, is_plain);
}

}  // namespace

std::expected<void, Fault> read_configuration_file(const std::string& file, SettingValues& values) {
  if (file.empty()) return {};
  std::ifstream input(file);
  if (!input) {
    const int error = errno;
    const std::string name = may_be_content(file) ? "that " + values.where("config") + " names" : file;
    return failure("cannot read the configuration " + name + ": " + std::strerror(error) +
                   "; give --config a file that this user may read");
  }
  values.name_file(file);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(input)) {
      // What CLI11 makes of a section's beginning and end.
      if (item.name == "++" || item.name == "--") continue;
      const Setting* setting = item.parents.empty() ? find_setting(item.name) : nullptr;
      if (!setting || !setting->in_file) {
        const std::string name = item.fullname();
        return wrong_usage("the configuration " + file + " has " +
                           (is_name(name) ? "an unknown setting " + name : "a line that is no setting") +
                           "; `portail serve --help` lists them, without the dashes they are the file's names");
      }
      if (!setting->is_list && item.inputs.size() != 1) {
        return wrong_usage(std::string(setting->name) + " in " + file + " takes one value");
      }
      if (values.source(*setting) == SettingSource::file) {
        return wrong_usage(std::string(setting->name) + " in " + file + " is there twice");
      }
      values.give(*setting, item.inputs, SettingSource::file);
    }
  } catch (const CLI::Error&) {
    return wrong_usage("the configuration " + file + " cannot be used: it is neither TOML nor INI");
  }
  return {};
}

}  // namespace portail
