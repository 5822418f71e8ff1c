#include "tests/contract/support/tokens.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <picojson.h>
#include <sodium.h>

#include "tests/contract/support/environment.hpp"
#include "tests/contract/support/files.hpp"
#include "tests/contract/support/rsa_and_ec_keys.hpp"

namespace portail::contract {
namespace {

const unsigned char* octets(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string member(const picojson::value& object, const char* name) {
  const picojson::value& found = object.get(name);
  return found.is<std::string>() ? found.get<std::string>() : std::string();
}

SigningKey load_key(std::string_view algorithm, const char* key_type, const char* secret_member) {
  picojson::value set;
  const std::string error = picojson::parse(set, read_file(environment().keys_file));
  if (!error.empty() || !set.is<picojson::object>() || !set.get("keys").is<picojson::array>())
    throw std::runtime_error("PORTAIL_CONTRACT_KEYS is not a JWK set");
  for (const picojson::value& each : set.get("keys").get<picojson::array>()) {
    if (member(each, "kty") != key_type) continue;
    const std::string secret = base64url_decoded(member(each, secret_member));
    if (algorithm == "EdDSA") return ed25519_key(member(each, "kid"), secret);
    return {std::string(algorithm), member(each, "kid"), secret, {}};
  }
  throw std::runtime_error("PORTAIL_CONTRACT_KEYS has no private key for " + std::string(algorithm));
}

}  // namespace

std::string base64url(std::string_view bytes) {
  constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), octets(bytes), bytes.size(), variant);
  text.pop_back();
  return text;
}

std::string base64url_decoded(std::string_view text) {
  std::string bytes(text.size(), '\0');
  std::size_t length = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(), text.size(), nullptr,
                        &length, nullptr, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
    throw std::runtime_error("not base64url: " + std::string(text));
  bytes.resize(length);
  return bytes;
}

SigningKey ed25519_key(std::string_view identifier, std::string_view seed) {
  if (seed.size() != crypto_sign_SEEDBYTES) throw std::runtime_error("an Ed25519 key has a seed of 32 bytes");
  SigningKey key{"EdDSA", std::string(identifier), std::string(seed), std::string(crypto_sign_PUBLICKEYBYTES, '\0')};
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  crypto_sign_seed_keypair(reinterpret_cast<unsigned char*>(key.public_key.data()), secret, octets(seed));
  return key;
}

std::string hmac_sha256(std::string_view secret, std::string_view bytes) {
  crypto_auth_hmacsha256_state state;
  unsigned char tag[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256_init(&state, octets(secret), secret.size());
  crypto_auth_hmacsha256_update(&state, octets(bytes), bytes.size());
  crypto_auth_hmacsha256_final(&state, tag);
  return {reinterpret_cast<char*>(tag), sizeof tag};
}

std::string signature(const SigningKey& key, std::string_view signing_input) {
  if (key.algorithm == "HS256") return hmac_sha256(key.secret, signing_input);
  if (key.algorithm != "EdDSA") return rsa_or_ec_signature(key.algorithm, key.secret, signing_input);
  const std::string secret = key.secret + key.public_key;
  unsigned char bytes[crypto_sign_BYTES];
  crypto_sign_detached(bytes, nullptr, octets(signing_input), signing_input.size(), octets(secret));
  return {reinterpret_cast<char*>(bytes), sizeof bytes};
}

const SigningKey& eddsa_key() {
  static const SigningKey key = load_key("EdDSA", "OKP", "d");
  return key;
}

const SigningKey& hs256_key() {
  static const SigningKey key = load_key("HS256", "oct", "k");
  return key;
}

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

JsonObject& JsonObject::set(std::string_view name, std::string_view json) {
  const auto found = std::ranges::find(members_, name, &std::pair<std::string, std::string>::first);
  if (found == members_.end()) return add(name, json);
  found->second = json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name_json, std::string_view json) {
  members_.emplace_back(name_json, json);
  return *this;
}

JsonObject& JsonObject::remove(std::string_view name) {
  std::erase_if(members_, [name](const auto& each) { return each.first == name; });
  return *this;
}

std::string JsonObject::text() const {
  std::string text = "{";
  for (const auto& [name, value] : members_) text += (text.size() > 1 ? "," : "") + json_string(name) + ":" + value;
  return text + "}";
}

std::string json_string(std::string_view text) { return '"' + std::string(text) + '"'; }

JsonObject header_of(const SigningKey& key) {
  JsonObject header;
  header.set("alg", json_string(key.algorithm)).set("kid", json_string(key.identifier)).set("typ", "\"JWT\"");
  return header;
}

JsonObject claims_of(std::string_view subject) {
  JsonObject claims;
  claims.set("iss", json_string(environment().issuer))
      .set("aud", json_string(environment().audience))
      .set("exp", std::to_string(now() + 3600));
  if (!subject.empty()) claims.set("sub", json_string(subject));
  return claims;
}

std::string signed_parts(const SigningKey& key, std::string_view encoded_header, std::string_view encoded_claims) {
  const std::string input = std::string(encoded_header) + "." + std::string(encoded_claims);
  return input + "." + base64url(signature(key, input));
}

std::string token(const SigningKey& key, std::string_view header, std::string_view claims) {
  return signed_parts(key, base64url(header), base64url(claims));
}

std::string token(const JsonObject& claims) { return token(eddsa_key(), header_of(eddsa_key()).text(), claims.text()); }

std::string token(std::string_view subject) { return token(claims_of(subject)); }

std::string token(std::string_view subject, const std::vector<std::pair<std::string, std::string>>& claims) {
  JsonObject all = claims_of(subject);
  for (const auto& [name, value] : claims) all.set(name, value);
  return token(all);
}

}  // namespace portail::contract
