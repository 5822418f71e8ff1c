#include "native/settings/key_settings.hpp"

#include "core/base/text.hpp"
#include "native/keys/local_documents.hpp"
#include "native/keys/remote_documents.hpp"

namespace portail {
namespace {

// To look at a file costs one call of the system: a token whose key is unknown need not wait long for it.
constexpr std::chrono::seconds file_interval{1};
constexpr std::chrono::milliseconds file_pause{50};

std::expected<KeyPlace, Fault> place_of(const std::string& jwks, const std::string& issuer) {
  if (trimmed(jwks, " \t\r\n").starts_with('{')) return KeyPlace::text;
  if (jwks.empty()) {
    if (parse_https_url(issuer) && !issuer.contains('?')) return KeyPlace::network;
    return wrong_usage(
        "no key set: give --jwks a file, an https URL or the key set's JSON text (or set PORTAIL_JWKS); it can be left "
        "out only where --issuer is an https URL, whose discovery document then names the key set");
  }
  if (jwks.starts_with("http://")) {
    return wrong_usage("--jwks takes no http URL: whoever is on the way could change the keys; give an https URL");
  }
  if (!jwks.contains("://")) return KeyPlace::file;
  if (parse_https_url(jwks)) return KeyPlace::network;
  return wrong_usage("--jwks takes a file, an https URL without user name or fragment, or JSON text, not " + jwks);
}

std::expected<std::chrono::seconds, Fault> seconds_of(const char* flag, std::int64_t value, std::int64_t least,
                                                      std::int64_t most) {
  if (value >= least && value <= most) return std::chrono::seconds(value);
  return wrong_usage(std::string(flag) + " is " + std::to_string(least) + " to " + std::to_string(most) +
                     " seconds, not " + std::to_string(value));
}

}  // namespace

void add_key_options(CLI::App& command, KeySettings& settings) {
  const std::string group = "Key set";
  command
      .add_option("--jwks", settings.jwks,
                  "The key set: a file, an https URL, or its own JSON text; without it, the one that the issuer's "
                  "discovery document names")
      ->envname("PORTAIL_JWKS")
      ->group(group);
  command
      .add_option("--identity-ca", settings.identity_ca,
                  "Authorities that the issuer's certificate may come from, PEM, instead of the system's")
      ->envname("PORTAIL_IDENTITY_CA")
      ->group(group);
  command.add_option("--jwks-refresh", settings.refresh_seconds, "Seconds between two fetches of the key set")
      ->envname("PORTAIL_JWKS_REFRESH")
      ->capture_default_str()
      ->group(group);
  command.add_option("--jwks-timeout", settings.timeout_seconds, "Seconds that a fetch may take in all")
      ->envname("PORTAIL_JWKS_TIMEOUT")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--jwks-max-age", settings.longest_age_seconds,
                  "Seconds that keys are used for after their source last answered")
      ->envname("PORTAIL_JWKS_MAX_AGE")
      ->capture_default_str()
      ->group(group);
  // Not shown: the contract's 30 s, shorter for tests.
  command.add_option("--jwks-pause", settings.pause_seconds)->group("");
}

std::expected<KeyPlan, Fault> make_key_plan(const KeySettings& settings, const std::string& issuer) {
  const auto place = place_of(settings.jwks, issuer);
  if (!place) return std::unexpected(place.error());
  const auto refresh = seconds_of("--jwks-refresh", settings.refresh_seconds, 1, 86'400);
  if (!refresh) return std::unexpected(refresh.error());
  const auto timeout = seconds_of("--jwks-timeout", settings.timeout_seconds, 1, 60);
  if (!timeout) return std::unexpected(timeout.error());
  const auto longest_age = seconds_of("--jwks-max-age", settings.longest_age_seconds, 1, 31 * 86'400);
  if (!longest_age) return std::unexpected(longest_age.error());
  const auto pause = seconds_of("--jwks-pause", settings.pause_seconds, 0, 3600);
  if (!pause) return std::unexpected(pause.error());
  KeyPlan plan{.place = *place,
               .limits = {.authorities = settings.identity_ca, .time = *timeout},
               .times = {.interval = *refresh, .pause = *pause, .longest_age = *longest_age}};
  if (*place == KeyPlace::file) {
    plan.times.interval = file_interval;
    plan.times.pause = file_pause;
  }
  return plan;
}

std::unique_ptr<KeyDocument> make_key_document(const KeySettings& settings, const std::string& issuer,
                                               const KeyPlan& plan) {
  switch (plan.place) {
    case KeyPlace::text:
      break;
    case KeyPlace::file:
      return std::make_unique<FileDocument>(settings.jwks);
    case KeyPlace::network:
      if (settings.jwks.empty()) return std::make_unique<DiscoveredDocument>(issuer, plan.limits);
      return std::make_unique<HttpsDocument>(settings.jwks, plan.limits);
  }
  return std::make_unique<TextDocument>(settings.jwks);
}

}  // namespace portail
