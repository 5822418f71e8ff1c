#include "native/settings/page_settings.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"
#include "core/http/url.hpp"
#include "core/json/reader.hpp"
#include "core/json/utf8.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

constexpr std::array<std::string_view, 3> members_of_persona{"name", "description", "token"};

// The origin in a Content-Security-Policy, or nullopt if the URL cannot be in one.
std::optional<std::string> origin_of(const std::string& url) {
  const auto parsed = parse_https_url(url);
  if (!parsed || url.find_first_of(" ;,'\"") != std::string::npos) return std::nullopt;
  const std::string host = parsed->host.contains(':') ? "[" + parsed->host + "]" : parsed->host;
  return "https://" + host + (parsed->port == 443 ? "" : ":" + std::to_string(parsed->port));
}

bool append_persona(JsonWriter& json, JsonValue value) {
  const auto persona = object_of(value);
  if (!persona) return false;
  json.begin_object();
  for (const std::string_view name : members_of_persona) {
    const auto text = string_member(*persona, name);
    if (!text) return false;
    json.name(name).string(*text);
  }
  json.end_object();
  return true;
}

// The array with only the members that the page reads; nullopt if it is malformed.
std::optional<std::string> personas_of(std::string_view text) {
  const auto document = parse_json(text);
  const auto list = document ? array_of(document->root()) : std::nullopt;
  if (!list) return std::nullopt;
  std::string personas;
  JsonWriter json(personas);
  json.begin_array();
  const bool good = std::ranges::all_of(*list, [&json](JsonValue each) { return append_persona(json, each); });
  json.end_array();
  return good ? std::optional(std::move(personas)) : std::nullopt;
}

// RFC 6749, section 8.2.
bool is_parameter_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return is_ascii_letter(letter) || is_ascii_digit(letter) || letter == '-' || letter == '.' || letter == '_';
  });
}

}  // namespace

std::expected<std::optional<SignIn>, Fault> make_sign_in(const SettingValues& values) {
  if (values.text("page-client").empty()) {
    if (values.text("page-authority").empty()) return std::nullopt;
    return wrong_usage(values.where("page-authority") + " needs --page-client, the client id of the page");
  }
  for (const SettingName name :
       std::initializer_list<SettingName>{"issuer", "page-client", "page-authority", "page-scope", "page-parameter"}) {
    if (!is_valid_utf8(values.text(name))) return wrong_usage(values.where(name) + " must be UTF-8");
  }
  SignIn sign_in;
  sign_in.client = values.text("page-client");
  sign_in.scope = values.text("page-scope");
  const bool is_issuer = values.text("page-authority").empty();
  sign_in.authority = values.text(is_issuer ? SettingName("issuer") : SettingName("page-authority"));
  auto origin = origin_of(sign_in.authority);
  if (!origin) {
    return wrong_usage(
        is_issuer ? "the issuer is not an https URL: give --page-authority the https URL of the identity provider"
                  : values.where("page-authority") + " must be an https URL, not " + sign_in.authority);
  }
  sign_in.origin = std::move(*origin);
  for (const std::string& parameter : values.list("page-parameter")) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || !is_parameter_name({parameter.data(), equals})) {
      return values.invalid_value("page-parameter", parameter);
    }
    sign_in.parameters.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  return sign_in;
}

std::expected<std::string, Fault> read_personas(const SettingValues& values) {
  const std::string& file = values.text("page-personas");
  if (file.empty()) return std::string();
  const auto text = read_small_file(file, values.where("page-personas"));
  if (!text) return failure(text.error());
  auto personas = personas_of(*text);
  if (!personas) return failure(file + " must be a JSON array of objects with name, description and token");
  return std::move(*personas);
}

}  // namespace portail
