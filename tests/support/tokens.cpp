#include "tests/support/tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/crypto/sign.hpp"

namespace portail {
namespace {

Ed25519Seed eddsa_seed() {
  Ed25519Seed seed{};
  seed.fill(std::byte{0x42});
  return seed;
}

HmacSecret hs256_secret() { return {.bytes = std::vector<std::byte>(min_hmac_secret_size, std::byte{0x24})}; }

void append_array(std::string& json, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.append(",\"").append(name).append("\":[");
  for (const std::string& text : texts) {
    if (!json.ends_with('[')) json += ',';
    json.append("\"").append(text).append("\"");
  }
  json += ']';
}

std::string signing_input(std::string_view header, std::string_view claims) {
  return base64url_encode(header) + '.' + base64url_encode(claims);
}

std::string header_of(std::string_view algorithm, std::string_view kid) {
  std::string json;
  json.append(R"({"alg":")").append(algorithm).append(R"(","typ":"JWT","kid":")").append(kid).append("\"}");
  return json;
}

std::string json_of(const TestClaims& claims) {
  std::string json;
  json.append("{\"iss\":\"").append(test_issuer).append("\",\"aud\":\"").append(test_audience);
  json.append("\",\"exp\":").append(std::to_string(claims.expires));
  if (!claims.subject.empty()) json.append(",\"sub\":\"").append(claims.subject).append("\"");
  append_array(json, "roles", claims.roles);
  append_array(json, "permissions", claims.permissions);
  json.append(claims.extra_members).append("}");
  return json;
}

KeySet make_key_set() {
  std::vector<VerificationKey> keys;
  keys.push_back({std::string(test_eddsa_kid), algorithm_named("EdDSA"), public_key_of(eddsa_seed())});
  keys.push_back({std::string(test_hs256_kid), algorithm_named("HS256"), hs256_secret()});
  return KeySet(std::move(keys));
}

}  // namespace

TokenSettings test_token_settings() {
  TokenSettings settings;
  settings.issuer = test_issuer;
  settings.audiences = {std::string(test_audience)};
  return settings;
}

FixedKeys& test_key_set() {
  static FixedKeys keys(make_key_set());
  return keys;
}

std::string make_test_token(const TestClaims& claims) {
  return sign_eddsa_token(header_of("EdDSA", test_eddsa_kid), json_of(claims));
}

std::string make_quick_test_token(const TestClaims& claims) {
  return sign_hs256_token(header_of("HS256", test_hs256_kid), json_of(claims));
}

std::string sign_eddsa_token(std::string_view header, std::string_view claims) {
  const std::string input = signing_input(header, claims);
  return input + '.' + base64url_encode(std::span<const std::byte>(sign_eddsa(eddsa_seed(), input)));
}

std::string sign_hs256_token(std::string_view header, std::string_view claims) {
  const std::string input = signing_input(header, claims);
  return input + '.' + base64url_encode(std::span<const std::byte>(sign_hs256(hs256_secret(), input)));
}

}  // namespace portail
