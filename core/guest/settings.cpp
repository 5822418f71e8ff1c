#include "core/guest/settings.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include "core/base/text.hpp"
#include "core/settings_check.hpp"

namespace portail {
namespace {

// The variables, and the first fault in reading them; after it there are none.
class Reading {
 public:
  explicit Reading(Variables& variables) : variables_(variables) {}

  std::optional<std::string> operator()(const char* name) {
    if (!fault_.empty()) return std::nullopt;
    FoundVariable found = variables_.find(name);
    if (found) return std::move(*found);
    fault_ = std::move(found.error());
    return std::nullopt;
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  Variables& variables_;
  std::string fault_;
};

// Values apart by commas.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> values;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (const auto value = trimmed(list.substr(0, comma)); !value.empty()) values.emplace_back(value);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return values;
}

// The words that the native program's flags take.
std::expected<bool, std::string> read_switch(std::string_view name, std::string_view text) {
  for (const std::string_view word : {"1", "true", "on", "yes", "enable"}) {
    if (equals_ignoring_case(text, word)) return true;
  }
  for (const std::string_view word : {"", "0", "false", "off", "no", "disable"}) {
    if (equals_ignoring_case(text, word)) return false;
  }
  return std::unexpected(std::string(name).append(" is true or false, not ").append(text));
}

SettingCheck read_leeway(std::string_view name, const std::string& text, std::int64_t& seconds) {
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc{} && parsed == end) return check_leeway(name, seconds);
  return std::unexpected(std::string(name).append(" is 0 to 300 seconds, not ").append(text));
}

SettingCheck read_tokens(Reading& variable, TokenSettings& tokens) {
  tokens.issuer = variable("PORTAIL_ISSUER").value_or("");
  tokens.audiences = split(variable("PORTAIL_AUDIENCE").value_or(""));
  tokens.tenant = variable("PORTAIL_TENANT").value_or("");
  if (tokens.issuer.empty()) return std::unexpected("no issuer: set PORTAIL_ISSUER to the iss of the tokens");
  if (tokens.audiences.empty()) return std::unexpected("no audience: set PORTAIL_AUDIENCE to the aud of the tokens");
  if (auto claim = variable("PORTAIL_SUBJECT_CLAIM")) tokens.subject_claim = std::move(*claim);
  if (const auto leeway = variable("PORTAIL_LEEWAY")) {
    const auto read = read_leeway("PORTAIL_LEEWAY", *leeway, tokens.leeway_seconds);
    if (!read) return read;
  }
  return check_subject_claim("PORTAIL_SUBJECT_CLAIM", tokens.subject_claim);
}

SettingCheck read_core(Reading& variable, Settings& settings) {
  auto read = read_tokens(variable, settings.tokens);
  if (!read) return read;
  if (const auto text = variable("PORTAIL_TRANSPORT"); text && !text->empty()) {
    const auto transport = read_transport("PORTAIL_TRANSPORT", *text);
    if (!transport) return std::unexpected(transport.error());
    settings.transport = *transport;
  }
  const auto filter = read_switch("PORTAIL_FILTER_LISTS", variable("PORTAIL_FILTER_LISTS").value_or(""));
  if (!filter) return std::unexpected(filter.error());
  settings.filter_lists = *filter;
  settings.allowed_origins = split(variable("PORTAIL_ALLOW_ORIGINS").value_or(""));
  return check_origins("PORTAIL_ALLOW_ORIGINS", settings.allowed_origins);
}

std::expected<std::optional<LoadedKeySet>, std::string> read_keys(std::string_view jwks) {
  if (jwks.empty()) return std::nullopt;
  if (!trimmed(jwks, " \t\r\n").starts_with('{')) {
    return std::unexpected(
        "PORTAIL_JWKS takes the key set's JSON text here: WebAssembly reads no file and fetches nothing; "
        "leave it out to use the stored config.jwks");
  }
  auto loaded = load_key_set(jwks);
  if (!loaded) return std::unexpected("PORTAIL_JWKS: " + loaded.error());
  return std::move(*loaded);
}

}  // namespace

std::expected<PortalSettings, std::string> read_settings(Variables& variables) {
  Reading variable(variables);
  PortalSettings settings;
  const SettingCheck read = read_core(variable, settings.settings);
  const std::string jwks = variable("PORTAIL_JWKS").value_or("");
  settings.store = variable("PORTAIL_STORE").value_or("");
  if (!variable.fault().empty()) return std::unexpected(variable.fault());
  if (!read) return std::unexpected(read.error());
  auto keys = read_keys(jwks);
  if (!keys) return std::unexpected(keys.error());
  settings.keys = std::move(*keys);
  return settings;
}

}  // namespace portail
