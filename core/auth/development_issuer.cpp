#include "core/auth/development_issuer.hpp"

#include <utility>

#include "core/auth/key_generator.hpp"
#include "core/auth/key_set.hpp"
#include "core/auth/token_signer.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

// Returns the verification keys of a generated key.
KeySet public_keys(std::string_view jwk) {
  return verification_key_set(jwk)
      .and_then([](const std::string& set) { return load_key_set(set); })
      .transform([](LoadedKeySet loaded) { return std::move(loaded.keys); })
      .value_or(KeySet());
}

}  // namespace

DevelopmentIssuer::DevelopmentIssuer(RandomSource& random)
    : key_(generate_private_jwk(*signing_algorithm_named("EdDSA"), "development", random)), keys_(public_keys(key_)) {}

TokenSettings DevelopmentIssuer::settings() const {
  TokenSettings settings;
  settings.issuer = development_issuer;
  settings.audiences = {std::string(development_audience)};
  return settings;
}

std::string DevelopmentIssuer::token(std::string_view subject, Instant now,
                                     std::initializer_list<std::string_view> permissions) const {
  std::string claims;
  JsonWriter json(claims);
  json.begin_object().name("iss").string(development_issuer).name("aud").string(development_audience);
  json.name("sub").string(subject).name("iat").integer(now.seconds());
  json.name("exp").integer(now.seconds() + development_lifetime).name("permissions").begin_array();
  for (const std::string_view permission : permissions) json.string(permission);
  json.end_array().end_object();
  return load_signing_key(key_).transform([&](const SigningKey& key) { return sign_token(key, claims); }).value_or("");
}

}  // namespace portail
