#include "core/webassembly/settings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/settings/settings_check.hpp"

namespace portail {
namespace {

consteval SettingRow row(const char* name) { return guest_setting(name); }

// Reads variables, and keeps the first error; after it all variables are absent.
class VariableReader {
 public:
  explicit VariableReader(Variables& variables) : variables_(variables) {}

  std::optional<std::string> operator()(SettingRow setting) {
    if (!error_.empty()) return std::nullopt;
    VariableResult found = variables_.find(setting->variable.data());
    if (found) return std::move(*found);
    error_ = std::move(found.error());
    return std::nullopt;
  }
  // Returns the default of the table if the variable is absent.
  std::string or_default(SettingRow setting) { return (*this)(setting).value_or(std::string(setting->default_value)); }
  [[nodiscard]] std::string shown(SettingRow setting) const { return variables_.shown(setting->variable); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  Variables& variables_;
  std::string error_;
};

SettingCheck check_values(const VariableReader& variable, SettingRow setting, const std::vector<std::string>& values) {
  return check_values(setting, variable.shown(setting), values);
}

SettingCheck read_tokens(VariableReader& variable, TokenSettings& tokens) {
  tokens.issuer = variable.or_default(row("issuer"));
  tokens.audiences = values_of_list(variable.or_default(row("audience")));
  tokens.tenant = variable.or_default(row("tenant"));
  if (tokens.issuer.empty()) {
    return std::unexpected("no issuer: set " + variable.shown(row("issuer")) + " to the iss of the tokens");
  }
  if (tokens.audiences.empty()) {
    return std::unexpected("no audience: set " + variable.shown(row("audience")) + " to the aud of the tokens");
  }
  const auto leeway = read_number(row("leeway"), variable.shown(row("leeway")), variable.or_default(row("leeway")));
  if (!leeway) return std::unexpected(leeway.error());
  tokens.leeway_seconds = *leeway;
  tokens.subject_claim = variable.or_default(row("subject-claim"));
  SettingCheck checked = check_values(variable, row("issuer"), {tokens.issuer});
  if (checked) checked = check_values(variable, row("audience"), tokens.audiences);
  if (checked) checked = check_values(variable, row("tenant"), {tokens.tenant});
  if (checked) checked = check_values(variable, row("subject-claim"), {tokens.subject_claim});
  return checked;
}

SettingCheck read_core(VariableReader& variable, Settings& settings) {
  auto read = read_tokens(variable, settings.tokens);
  if (!read) return read;
  if (const std::string text = variable.or_default(row("transport")); !text.empty()) {
    const auto transport = read_transport(variable.shown(row("transport")), text);
    if (!transport) return std::unexpected(transport.error());
    settings.transport = *transport;
  }
  const auto filter =
      read_toggle(row("filter-lists"), variable.shown(row("filter-lists")), variable.or_default(row("filter-lists")));
  if (!filter) return std::unexpected(filter.error());
  settings.filter_lists = *filter;
  settings.allowed_origins = values_of_list(variable.or_default(row("allow-origin")));
  return check_values(variable, row("allow-origin"), settings.allowed_origins);
}

SettingCheck read_fetch_times(VariableReader& variable, FetchPlan& plan) {
  const auto read = [&variable](SettingRow setting, RefreshIntervals::Duration& time) -> SettingCheck {
    const auto number = read_number(setting, variable.shown(setting), variable.or_default(setting));
    if (!number) return std::unexpected(number.error());
    time = std::chrono::seconds(*number);
    return {};
  };
  RefreshIntervals& times = plan.times;
  SettingCheck checked = read(row("jwks-refresh"), times.interval);
  if (checked) checked = read(row("jwks-timeout"), plan.timeout);
  if (checked) checked = read(row("jwks-max-age"), times.max_age);
  times.min_interval = std::min(times.min_interval, times.interval);
  return checked;
}

SettingCheck read_keys(VariableReader& variable, PortalSettings& settings) {
  const std::string jwks = variable.or_default(row("jwks"));
  if (jwks.empty()) return {};
  if (auto location = key_location(jwks, settings.settings.transport)) {
    settings.fetch = {.location = std::move(*location),
                      .issuer = settings.settings.tokens.issuer,
                      .times = {},
                      .precedes_answer = false};
    return read_fetch_times(variable, *settings.fetch);
  }
  const std::string name = variable.shown(row("jwks"));
  if (!trimmed(jwks, " \t\r\n").starts_with('{')) {
    return std::unexpected(name +
                           " must be the key set's JSON text or its https URL, with the transport loopback also an "
                           "http URL of a loopback address; leave it out to use the stored config.jwks");
  }
  auto loaded = load_key_set(jwks);
  if (!loaded) return std::unexpected(name + ": " + loaded.error());
  settings.keys = std::move(*loaded);
  return {};
}

}  // namespace

std::expected<PortalSettings, std::string> read_settings(Variables& variables) {
  VariableReader variable(variables);
  PortalSettings settings;
  SettingCheck read = read_core(variable, settings.settings);
  if (read) read = read_keys(variable, settings);
  settings.store = variable.or_default(row("store"));
  settings.log_key = variable.or_default(row("log-key"));
  if (!variable.error().empty()) return std::unexpected(variable.error());
  if (!read) return std::unexpected(read.error());
  return settings;
}

}  // namespace portail
