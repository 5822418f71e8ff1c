#include "native/settings/key_settings.hpp"

#include "core/base/text.hpp"
#include "native/keys/local_documents.hpp"
#include "native/keys/remote_documents.hpp"

namespace portail {
namespace {

// To look at a file costs one call of the system: a token whose key is unknown need not wait long for it.
constexpr std::chrono::seconds file_interval{1};
constexpr std::chrono::milliseconds file_pause{50};

std::expected<KeyPlace, Fault> place_of(const SettingValues& values) {
  const std::string& jwks = values.text("jwks");
  const std::string& issuer = values.text("issuer");
  if (trimmed(jwks, " \t\r\n").starts_with('{')) return KeyPlace::text;
  if (jwks.empty()) {
    if (parse_https_url(issuer) && !issuer.contains('?')) return KeyPlace::network;
    return wrong_usage(
        "no key set: give --jwks a file, an https URL or the key set's JSON text (or set PORTAIL_JWKS); it can be left "
        "out only where --issuer is an https URL, whose discovery document then names the key set");
  }
  if (jwks.starts_with("http://")) {
    return wrong_usage(
        values.where("jwks") +
        " must not be an http URL, because an attacker on the network could replace the keys; use an https URL");
  }
  if (parse_https_url(jwks)) return KeyPlace::network;
  // No file is called like JSON text in other forms.
  if (jwks.contains("://") || jwks.find_first_of("{}\"\n") != std::string::npos) return values.refuse("jwks", jwks);
  return KeyPlace::file;
}

}  // namespace

std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values) {
  using std::chrono::seconds;
  const auto place = place_of(values);
  if (!place) return std::unexpected(place.error());
  KeyPlan plan{.place = *place,
               .limits = {.authorities = values.text("identity-ca"), .time = seconds(values.number("jwks-timeout"))},
               .times = {.interval = seconds(values.number("jwks-refresh")),
                         .pause = seconds(values.number("jwks-pause")),
                         .longest_age = seconds(values.number("jwks-max-age"))}};
  if (*place == KeyPlace::file) {
    plan.times.interval = file_interval;
    plan.times.pause = file_pause;
  }
  return plan;
}

std::unique_ptr<KeyDocument> make_key_document(const SettingValues& values, const KeyPlan& plan) {
  const std::string& jwks = values.text("jwks");
  switch (plan.place) {
    case KeyPlace::text:
      break;
    case KeyPlace::file:
      return std::make_unique<FileDocument>(jwks, values.where("jwks"));
    case KeyPlace::network:
      if (jwks.empty()) return std::make_unique<DiscoveredDocument>(values.text("issuer"), plan.limits);
      return std::make_unique<HttpsDocument>(jwks, plan.limits);
  }
  return std::make_unique<TextDocument>(jwks);
}

}  // namespace portail
