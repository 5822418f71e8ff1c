#include "native/settings/key_settings.hpp"

#include "core/base/text.hpp"
#include "native/keys/key_documents.hpp"

namespace portail {
namespace {

// A check of a file is one system call, so a token with an unknown key waits only briefly.
constexpr std::chrono::seconds file_interval{1};
constexpr std::chrono::milliseconds file_pause{50};

// Sets the location and, for the network, its URL.
std::expected<void, Fault> read_location(const SettingValues& values, Transport transport, KeyPlan& plan) {
  const std::string& jwks = values.text("jwks");
  plan.location = KeySetLocation::network;
  if (jwks.empty()) {
    plan.url = discovery_location(values.text("issuer"), transport);
    if (plan.url) return {};
    return wrong_usage(
        "no key set: give --jwks a file, an https URL or the key set's JSON text (or set PORTAIL_JWKS); it is "
        "optional if --issuer is an https URL with a discovery document");
  }
  plan.url = key_location(jwks, transport);
  if (plan.url) return {};
  plan.location = KeySetLocation::text;
  if (trimmed(jwks, " \t\r\n").starts_with('{')) return {};
  if (jwks.starts_with("http://")) {
    return wrong_usage(values.where("jwks") +
                       " must not be an http URL, because an attacker on the network could replace the keys; use an "
                       "https URL, or with the transport loopback http of a loopback address");
  }
  if (jwks.contains("-----BEGIN ")) {
    return wrong_usage(values.where("jwks") + " is PEM; convert it to a JWK set (RFC 7517)");
  }
  // Other URLs and malformed JSON are not file names.
  if (jwks.contains("://") || jwks.find_first_of("{}\"\n") != std::string::npos) {
    return values.invalid_value("jwks", jwks);
  }
  plan.location = KeySetLocation::file;
  return {};
}

}  // namespace

std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values, Transport transport) {
  using std::chrono::seconds;
  KeyPlan plan{.location = KeySetLocation::text,
               .url = std::nullopt,
               .limits = {.ca_file = values.text("identity-ca"), .timeout = seconds(values.number("jwks-timeout"))},
               .times = {.interval = seconds(values.number("jwks-refresh")),
                         .min_interval = seconds(values.number("jwks-min-interval")),
                         .max_age = seconds(values.number("jwks-max-age"))}};
  if (const auto read = read_location(values, transport, plan); !read) return std::unexpected(read.error());
  if (plan.location == KeySetLocation::file) {
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
      return std::make_unique<keys::RemoteDocument>(*plan.url, values.text("issuer"), plan.limits);
  }
  return std::make_unique<keys::TextDocument>(jwks);
}

}  // namespace portail
