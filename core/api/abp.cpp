#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/api/answers.hpp"
#include "core/api/documents/documents.hpp"
#include "core/api/endpoints.hpp"
#include "core/api/parameters.hpp"
#include "core/auth/grants.hpp"
#include "core/auth/permissions.hpp"
#include "core/base/text.hpp"
#include "core/http/messages.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "core/portal/portal_reader.hpp"

namespace portail {
namespace {

// The name of the portal's own localization resource, which is also the group of the permissions.
constexpr std::string_view portal_resource = "PortailClients";

struct PermissionText {
  std::string_view name;  // as ABP's permission definitions name it: the permission without its group
  std::string_view english;
  std::string_view french;
};

constexpr std::array permission_texts{
    PermissionText{"Permission:PortailClients", "Customer portal", "Portail clients"},
    PermissionText{"Permission:ObjetsCourrier.Update", "Change mail objects", "Modifier les objets courrier"},
    PermissionText{"Permission:Liasses.VoirPieceDerogee", "See derogated pieces", "Voir les pièces dérogées"},
    PermissionText{"Permission:Dashboard.Host", "See the dashboard", "Voir le tableau de bord"},
};

}  // namespace

void write_portal_texts(JsonWriter& json, Language language) {
  json.begin_object().name("texts").begin_object();
  for (const PermissionText& each : permission_texts) {
    json.name(each.name).string(language == Language::french ? each.french : each.english);
  }
  for (std::uint8_t i = 0; i <= std::to_underlying(last_message); ++i) {
    const auto message = static_cast<Message>(i);
    json.name(name_of(message)).string(message_pattern(message, language));
  }
  json.end_object().name("baseResources").begin_array().string("AbpValidation").end_array().end_object();
}

namespace {

struct Culture {
  std::string_view tag;
  std::string_view display_name;
  std::string_view english_name;
  std::string_view three_letters;
  std::string_view short_date;
  std::string_view long_date;
  std::string_view full_date_time;
  std::string_view short_time;
  std::string_view long_time;
};

constexpr Culture english{
    "en",      "English",   "English", "eng", "M/d/yyyy", "dddd, MMMM d, yyyy", "dddd, MMMM d, yyyy h:mm:ss tt",
    "h:mm tt", "h:mm:ss tt"};
constexpr Culture french{
    "fr",    "français", "French", "fra", "dd/MM/yyyy", "dddd d MMMM yyyy", "dddd d MMMM yyyy HH:mm:ss",
    "HH:mm", "HH:mm:ss"};

const Culture& culture_of(Language language) { return language == Language::french ? french : english; }

// Returns the language of a culture by its primary subtag: fr-CA is French.
std::optional<Language> language_of_culture(std::string_view name) {
  const std::string_view primary = name.substr(0, name.find('-'));
  if (equals_ignoring_case(primary, "fr")) return Language::french;
  if (equals_ignoring_case(primary, "en")) return Language::english;
  return std::nullopt;
}

void write_current_culture(JsonWriter& json, const Culture& culture) {
  json.begin_object();
  json.name("displayName").string(culture.display_name).name("englishName").string(culture.english_name);
  json.name("threeLetterIsoLanguageName").string(culture.three_letters);
  json.name("twoLetterIsoLanguageName").string(culture.tag).name("isRightToLeft").boolean(false);
  json.name("cultureName").string(culture.tag).name("name").string(culture.tag);
  json.name("nativeName").string(culture.display_name);
  json.name("dateTimeFormat").begin_object();
  json.name("calendarAlgorithmType").string("SolarCalendar").name("dateTimeFormatLong").string(culture.long_date);
  json.name("shortDatePattern").string(culture.short_date).name("fullDateTimePattern").string(culture.full_date_time);
  json.name("dateSeparator").string("/").name("shortTimePattern").string(culture.short_time);
  json.name("longTimePattern").string(culture.long_time).end_object();
  json.end_object();
}

void write_languages(JsonWriter& json) {
  json.begin_array();
  for (const Culture* culture : {&french, &english}) {
    json.begin_object().name("cultureName").string(culture->tag).name("uiCultureName").string(culture->tag);
    json.name("displayName").string(culture->display_name);
    json.name("twoLetterISOLanguageName").string(culture->tag).name("flagIcon").null().end_object();
  }
  json.end_array();
}

// Returns the texts of the portal and of ABP's own packages as JSON; {} unless `include` is set.
std::string resources_of(Language language, bool include) {
  if (!include) return "{}";
  std::string resources;
  JsonWriter json(resources);
  json.begin_object().name(portal_resource);
  write_portal_texts(json, language);
  const std::string of_packages = (language == Language::french ? abp_french_texts : abp_english_texts).text();
  resources += ',';
  resources.append(of_packages, 1);  // their object without its opening brace
  return resources;
}

void write_localization(JsonWriter& json, const Culture& culture, std::string_view resources) {
  json.begin_object().name("values").begin_object().end_object().name("resources").raw(resources).name("languages");
  write_languages(json);
  json.name("currentCulture");
  write_current_culture(json, culture);
  json.name("defaultResourceName").string(portal_resource);
  json.name("languagesMap").begin_object().end_object().name("languageFilesMap").begin_object().end_object();
  json.end_object();
}

void write_granted_policies(JsonWriter& json, const Caller* caller, const Grants& grants) {
  json.begin_object().name("grantedPolicies").begin_object();
  for (const Permission permission : all_permissions) {
    if (caller && holds(*caller, permission, grants)) json.name(name_of(permission)).boolean(true);
  }
  json.end_object().end_object();
}

void write_text_or_null(JsonWriter& json, std::string_view text) { text.empty() ? json.null() : json.string(text); }

// `tenant` is that of all tokens; empty: there is none.
void write_current_user(JsonWriter& json, const Caller& caller, bool is_authenticated, std::string_view tenant) {
  json.begin_object().name("isAuthenticated").boolean(is_authenticated).name("id");
  write_text_or_null(json, caller.subject);
  json.name("tenantId");
  write_text_or_null(json, is_authenticated ? tenant : std::string_view());
  json.name("userName");
  write_text_or_null(json, caller.user_name);
  json.name("name");
  write_text_or_null(json, caller.first_name);
  json.name("surName");
  write_text_or_null(json, caller.last_name);
  json.name("email");
  write_text_or_null(json, caller.email);
  json.name("phoneNumber").null().name("sessionId").null();
  json.name("emailVerified").boolean(caller.email_verified).name("phoneNumberVerified").boolean(false);
  json.name("roles").begin_array();
  for (const std::string& role : caller.roles) json.string(role);
  json.end_array().end_object();
}

// Returns the tenant of all tokens; empty: there is none. Text that is not UTF-8 is not the tenant of any token.
std::string_view tenant_of(const Settings& settings) {
  const std::string& tenant = settings.tokens.tenant;
  return is_valid_utf8(tenant) ? std::string_view(tenant) : std::string_view();
}

// The setting has the tenant's id only, so this is its name, too.
void write_current_tenant(JsonWriter& json, std::string_view tenant) {
  json.begin_object().name("id");
  write_text_or_null(json, tenant);
  json.name("name");
  write_text_or_null(json, tenant);
  json.name("isAvailable").boolean(!tenant.empty()).end_object();
}

// The members of features that this service does not have, in the form that ABP's clients read.
constexpr std::string_view unsupported_features =
    R"("setting":{"values":{}},"features":{"values":{}},"globalFeatures":{"enabledFeatures":[]},)"
    R"("multiTenancy":{"isEnabled":false},)"
    R"("timing":{"timeZone":{"iana":{"timeZoneName":"Etc/UTC"},"windows":{"timeZoneId":"UTC"}}},)"
    R"("clock":{"kind":"Unspecified"},"objectExtensions":{"modules":{},"enums":{}},"extraProperties":{})";

}  // namespace

Task<Response> get_application_configuration(Context& context, const Call& call) {
  auto include_texts = read_boolean(call, parameters::include_texts);
  if (!include_texts) co_return std::move(include_texts).error();
  ReadResult found;
  std::unique_ptr<Session> session;
  if (call.caller) {
    session = co_await call.store.open(context);
    co_await read(context, *session, {.grants = true}, found);
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("localization");
  write_localization(json, culture_of(call.language), resources_of(call.language, *include_texts));
  json.name("auth");
  write_granted_policies(json, call.caller, found.grants);
  json.name("currentUser");
  const Caller anonymous;
  const std::string_view tenant = tenant_of(call.settings);
  write_current_user(json, call.caller ? *call.caller : anonymous, call.caller != nullptr, tenant);
  json.name("currentTenant");
  write_current_tenant(json, tenant);
  body += ',';
  body += unsupported_features;
  json.end_object();
  co_return answer_json(call, std::move(body), Caching::never);
}

Task<Response> get_application_localization(Context&, const Call& call) {
  auto omit_texts = read_boolean(call, parameters::only_dynamic_texts);  // there are no dynamic texts
  if (!omit_texts) co_return std::move(omit_texts).error();
  const auto culture_name = query_value(call.target.query(), parameters::culture_name.name);
  Language language = call.language;
  if (culture_name) language = language_of_culture(*culture_name).value_or(language);
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("resources").raw(resources_of(language, !*omit_texts)).name("currentCulture");
  write_current_culture(json, culture_of(language));
  json.end_object();
  co_return answer_json(call, std::move(body), Caching::never);
}

}  // namespace portail
