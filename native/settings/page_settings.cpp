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

constexpr std::array<std::string_view, 2> languages{"fr", "en"};  // of the page

// The origin in a Content-Security-Policy, or nullopt if the URL cannot be in one.
std::optional<std::string> origin_of(const std::string& url) {
  const auto parsed = parse_https_url(url);
  if (!parsed || url.find_first_of(" ;,'\"") != std::string::npos) return std::nullopt;
  const std::string host = parsed->host.contains(':') ? "[" + parsed->host + "]" : parsed->host;
  return "https://" + host + (parsed->port == 443 ? "" : ":" + std::to_string(parsed->port));
}

// Appends the members of these names. Returns false if one is missing or not a string.
bool append_texts(JsonWriter& json, JsonObject object, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names, [&json, object](std::string_view name) {
    const auto text = string_member(object, name);
    if (text) json.name(name).string(*text);
    return text.has_value();
  });
}

// Appends the name and the description by language.
bool append_translations(JsonWriter& json, JsonValue value) {
  const auto translations = object_of(value);
  if (!translations) return false;
  json.name("translations").begin_object();
  for (const std::string_view language : languages) {
    const auto translation = member(*translations, language);
    if (!translation) continue;
    const auto texts = object_of(*translation);
    if (!texts) return false;
    json.name(language).begin_object();
    if (!append_texts(json, *texts, {"name", "description"})) return false;
    json.end_object();
  }
  json.end_object();
  return true;
}

bool append_persona(JsonWriter& json, JsonValue value) {
  const auto persona = object_of(value);
  if (!persona) return false;
  json.begin_object();
  if (!append_texts(json, *persona, {"name", "description", "token"})) return false;
  const auto translations = member(*persona, "translations");
  if (translations && !append_translations(json, *translations)) return false;
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

constexpr std::array<std::string_view, 2> placeholders{"{bundle}", "{piece}"};

// The first placeholder, braces included, or only the first brace without a partner; empty if there is none.
std::string_view first_placeholder(std::string_view text) {
  const std::size_t start = text.find_first_of("{}");
  if (start == std::string_view::npos) return {};
  const std::size_t end = text[start] == '{' ? text.find('}', start) : start;
  return text.substr(start, end == std::string_view::npos ? 1 : end - start + 1);
}

// The page inserts percent-encoded values. They could alter the host, so the placeholders must be after it.
std::expected<std::string, Fault> make_deposit_url(const SettingValues& values) {
  const std::string& text = values.text("page-deposit-url");
  if (text.empty()) return text;
  std::string rest = text;
  for (std::string_view found = first_placeholder(rest); !found.empty(); found = first_placeholder(rest)) {
    if (std::ranges::find(placeholders, found) == placeholders.end()) {
      return wrong_usage(values.where("page-deposit-url") + " has the unknown placeholder " + std::string(found) +
                         ": use {bundle} and {piece}");
    }
    rest.erase(rest.find(found), found.size());
  }
  const auto url = parse_url(std::string_view(rest).substr(0, rest.find('#')));
  const std::size_t end_of_host = text.find_first_of("/?#", text.find("://") + 3);
  const auto is_allowed = [](char c) { return is_visible_ascii(c) && c != '"' && c != '<' && c != '>' && c != '\\'; };
  if (!url || (!url->is_https && !is_loopback(*url)) || !std::ranges::all_of(rest, is_allowed) ||
      text.find('{') < end_of_host) {
    return values.invalid_value("page-deposit-url", text);
  }
  return text;
}

bool begins_with_language(std::string_view text) {
  return text.size() > 2 && text[2] == '=' && is_ascii_letter(text[0]) && is_ascii_letter(text[1]);
}

// Removes the next contact from `rest`: up to a comma before the next language. A text may have commas.
std::string_view take_contact(std::string_view& rest) {
  std::size_t comma = rest.find(',');
  while (comma != std::string_view::npos && !begins_with_language(trimmed(rest.substr(comma + 1)))) {
    comma = rest.find(',', comma + 1);
  }
  const std::string_view contact = trimmed(rest.substr(0, comma));
  rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  return contact;
}

// One contact for each language. The first one is also for languages that have none.
std::expected<std::vector<std::pair<std::string, std::string>>, Fault> make_contacts(const SettingValues& values) {
  std::string_view rest = values.text("page-contact");
  if (!is_valid_utf8(rest)) return wrong_usage(values.where("page-contact") + " must be UTF-8");
  std::vector<std::pair<std::string, std::string>> contacts;
  if (rest.empty()) return contacts;
  std::string first;
  while (!rest.empty()) {
    const std::string_view contact = take_contact(rest);
    const bool has_language = begins_with_language(contact);
    const std::string_view language = contact.substr(0, has_language ? 2 : 0);
    const std::string_view text = has_language ? trimmed(contact.substr(3)) : contact;
    const bool is_known = !has_language || std::ranges::find(languages, language) != languages.end();
    const auto same = std::ranges::find(contacts, language, &std::pair<std::string, std::string>::first);
    if (text.empty() || !is_known || same != contacts.end()) return values.invalid_value("page-contact", contact);
    if (first.empty()) first = text;
    if (has_language) contacts.emplace_back(language, text);
  }
  for (const std::string_view language : languages) {
    const auto same = std::ranges::find(contacts, language, &std::pair<std::string, std::string>::first);
    if (same == contacts.end()) contacts.emplace_back(language, first);
  }
  return contacts;
}

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

}  // namespace

std::expected<PageSettings, Fault> make_page_settings(const SettingValues& values) {
  auto sign_in = make_sign_in(values);
  if (!sign_in) return std::unexpected(sign_in.error());
  auto deposit_url = make_deposit_url(values);
  if (!deposit_url) return std::unexpected(deposit_url.error());
  auto contacts = make_contacts(values);
  if (!contacts) return std::unexpected(contacts.error());
  const std::string& currency = values.text("page-currency");
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (currency.size() != 3 || !std::ranges::all_of(currency, is_capital)) {
    return values.invalid_value("page-currency", currency);
  }
  return PageSettings{.sign_in = std::move(*sign_in),
                      .deposit_url = std::move(*deposit_url),
                      .contacts = std::move(*contacts),
                      .currency = currency,
                      .personas = {}};
}

std::expected<std::string, Fault> read_personas(const SettingValues& values) {
  const std::string& file = values.text("page-personas");
  if (file.empty()) return std::string();
  const auto text = read_small_file(file, values.where("page-personas"));
  if (!text) return failure(text.error());
  auto personas = personas_of(*text);
  if (!personas)
    return failure(file +
                   " must be a JSON array of objects with name, description and token, and optional translations");
  return std::move(*personas);
}

}  // namespace portail
