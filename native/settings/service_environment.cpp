#include "native/settings/service_environment.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "core/base/text.hpp"
#include "core/settings/settings_check.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/setting_table.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

constexpr std::string_view blanks = " \t\r";

// What the unit sets. It copies the certificate and the key from these files.
constexpr std::array<std::pair<SettingName, std::string_view>, 3> unit_settings{
    {{"store", "lmdb:/var/lib/portail"},
     {"tls-cert", "/etc/portail/certificate.pem"},
     {"tls-key", "/etc/portail/key.pem"}}};

// The rest of a text, with the number of its line.
struct EnvironmentText {
  std::string_view rest;
  std::size_t line = 1;

  char take() {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\n') ++line;
    return c;
  }
};

bool is_variable_name(std::string_view name) {
  const auto is_allowed = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; };
  return !name.empty() && !is_ascii_digit(name.front()) && std::ranges::all_of(name, is_allowed);
}

// Appends the text between quotes, and removes the second one. Returns false if it is missing.
bool take_quoted(EnvironmentText& text, char quote, std::string& value) {
  while (!text.rest.empty()) {
    char c = text.take();
    if (c == quote) return true;
    if (c == '\\' && quote == '"' && !text.rest.empty()) {
      c = text.take();
      if (c == '\n') continue;
      if (!std::string_view("\"\\`$").contains(c)) value += '\\';
    }
    value += c;
  }
  return false;
}

// Removes a value with the end of its last line. Returns false if it has a quote without its end.
bool take_value(EnvironmentText& text, std::string& value) {
  std::size_t kept = 0;  // characters that are not white space at the end
  bool can_open_quote = true;
  while (!text.rest.empty()) {
    char c = text.take();
    if (c == '\n') break;
    const bool is_blank = blanks.contains(c);
    if (is_blank && can_open_quote) continue;
    if ((c == '"' || c == '\'') && can_open_quote) {
      if (!take_quoted(text, c, value)) return false;
      kept = value.size();
      continue;
    }
    can_open_quote = false;
    const bool is_escaped = c == '\\' && !text.rest.empty();
    if (is_escaped) c = text.take();
    if (is_escaped && c == '\n') continue;
    value += c;
    if (!is_blank || is_escaped) kept = value.size();
  }
  value.resize(kept);
  return true;
}

}  // namespace

EnvironmentFile parse_environment_file(std::string_view text) {
  EnvironmentFile file;
  EnvironmentText input{.rest = text};
  const auto add_fault = [&file](std::size_t line, std::string_view reason) {
    file.faults.push_back("line " + std::to_string(line) + ": " + std::string(reason));
  };
  while (!input.rest.empty()) {
    const std::size_t line = input.line;
    const std::string_view whole = input.rest.substr(0, input.rest.find('\n'));
    const std::size_t equals = whole.find('=');
    const std::string_view trimmed_line = trimmed(whole);
    const bool is_comment = trimmed_line.empty() || trimmed_line.starts_with('#') || trimmed_line.starts_with(';');
    if (is_comment || equals == std::string_view::npos) {
      if (!is_comment) add_fault(line, "it is not NAME=VALUE");
      input.rest.remove_prefix(whole.size());
      if (!input.rest.empty()) input.take();
      continue;
    }
    const std::string name(trimmed(whole.substr(0, equals)));
    input.rest.remove_prefix(equals + 1);
    std::string value;
    if (!take_value(input, value)) add_fault(line, "its quote has no end");
    if (is_variable_name(name)) {
      file.variables.emplace_back(name, std::move(value));
    } else {
      add_fault(line, "before the = it must have the name of a variable");
    }
  }
  return file;
}

std::expected<SettingValues, Fault> read_service_settings(const std::string& file) {
  const auto text = read_small_file(file, "portail.service");
  if (!text) {
    return failure(text.error() +
                   ": these are the settings of the service: check it as root, or give those of another server");
  }
  const EnvironmentFile environment = parse_environment_file(*text);
  if (!environment.faults.empty()) return wrong_usage(file + ", " + environment.faults.front());
  SettingValues values;
  for (const auto& [setting, value] : unit_settings)
    values.set(*setting, {std::string(value)}, SettingSource::environment);
  constexpr auto known = variables_of(setting_table);
  VariableCheck check(known);
  for (const auto& [name, value] : environment.variables) {
    const bool may_be_setting = name.starts_with("PORTAIL_");
    if (const auto checked = check.check(name, value); may_be_setting && !checked) {
      return wrong_usage(file + ": " + checked.error());
    }
    setenv(name.c_str(), value.c_str(), 1);
    const auto setting = std::ranges::find(setting_table, std::string_view(name), &Setting::variable);
    if (setting != setting_table.end()) values.set(*setting, {value}, SettingSource::environment);
  }
  auto read = reread_configuration_file(values);
  if (!read) read.error().message += "; read from " + file;
  return read;
}

}  // namespace portail
