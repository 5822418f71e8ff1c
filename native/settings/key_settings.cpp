#include "native/settings/key_settings.hpp"

#include "core/base/text.hpp"
#include "native/keys/local_documents.hpp"
#include "native/keys/remote_documents.hpp"

namespace portail {
namespace {

// A check of a file is one system call, so a token with an unknown key waits only briefly.
constexpr std::chrono::seconds file_interval{1};
constexpr std::chrono::milliseconds file_pause{50};

std::expected<KeySetLocation, Fault> key_set_location(const SettingValues& values) {
  const std::string& jwks = values.text("jwks");
  const std::string& issuer = values.text("issuer");
  if (trimmed(jwks, " \t\r\n").starts_with('{')) return KeySetLocation::text;
  if (jwks.empty()) {
    if (keys::parse_https_url(issuer) && !issuer.contains('?')) return KeySetLocation::network;
    return wrong_usage(
        "no key set: give --jwks a file, an https URL or the key set's JSON text (or set PORTAIL_JWKS); it is "
        "optional if --issuer is an https URL with a discovery document");
  }
  if (jwks.starts_with("http://")) {
    return wrong_usage(
        values.where("jwks") +
        " must not be an http URL, because an attacker on the network could replace the keys; use an https URL");
  }
  if (keys::parse_https_url(jwks)) return KeySetLocation::network;
  // Other URLs and malformed JSON are not file names.
  if (jwks.contains("://") || jwks.find_first_of("{}\"\n") != std::string::npos)
    return values.invalid_value("jwks", jwks);
  return KeySetLocation::file;
}

}  // namespace

std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values) {
  using std::chrono::seconds;
  const auto location = key_set_location(values);
  if (!location) return std::unexpected(location.error());
  KeyPlan plan{.location = *location,
               .limits = {.ca_file = values.text("identity-ca"), .timeout = seconds(values.number("jwks-timeout"))},
               .times = {.interval = seconds(values.number("jwks-refresh")),
                         .min_interval = seconds(values.number("jwks-min-interval")),
                         .max_age = seconds(values.number("jwks-max-age"))}};
  if (*location == KeySetLocation::file) {
    plan.times.interval = file_interval;
    plan.times.min_interval = file_pause;
  }
  return plan;
}

std::unique_ptr<keys::Document> make_key_document(const SettingValues& values, const KeyPlan& plan) {
  const std::string& jwks = values.text("jwks");
  switch (plan.location) {
    case KeySetLocation::text:
      break;
    case KeySetLocation::file:
      return std::make_unique<keys::FileDocument>(jwks, values.where("jwks"));
    case KeySetLocation::network:
      if (jwks.empty()) return std::make_unique<keys::DiscoveredDocument>(values.text("issuer"), plan.limits);
      return std::make_unique<keys::HttpsDocument>(jwks, plan.limits);
  }
  return std::make_unique<keys::TextDocument>(jwks);
}

}  // namespace portail
