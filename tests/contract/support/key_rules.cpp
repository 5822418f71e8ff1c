#include "tests/contract/support/key_rules.hpp"

#include <sodium.h>

#include "tests/contract/support/rsa_and_ec_keys.hpp"

namespace portail::contract {
namespace {

std::string seed_of(std::string_view name) {
  unsigned char hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, reinterpret_cast<const unsigned char*>(name.data()), name.size());
  return {reinterpret_cast<char*>(hash), sizeof hash};
}

std::string okp(std::string_view kid, std::string_view more, std::string_view crv = "Ed25519", std::string x = {}) {
  if (x.empty()) x = rule_key_eddsa(kid).public_key;
  JsonObject key;
  key.set("kty", "\"OKP\"")
      .set("crv", json_string(crv))
      .set("kid", json_string(kid))
      .set("x", json_string(base64url(x)));
  std::string text = key.text();
  text.insert(text.size() - 1, more);
  return text;
}

std::string oct(std::string_view kid, std::string_view more, std::string k = {}) {
  if (k.empty()) k = rule_key_hs256(kid).secret;
  JsonObject key;
  key.set("kty", "\"oct\"").set("kid", json_string(kid)).set("k", json_string(base64url(k)));
  std::string text = key.text();
  text.insert(text.size() - 1, more);
  return text;
}

std::string jwk(std::string_view kty, std::string_view kid,
                const std::vector<std::pair<std::string_view, std::string>>& numbers, std::string_view more) {
  JsonObject key;
  key.set("kty", json_string(kty)).set("kid", json_string(kid));
  for (const auto& [name, bytes] : numbers) key.set(name, json_string(base64url(bytes)));
  std::string text = key.text();
  text.insert(text.size() - 1, more);
  return text;
}

std::string rsa(std::string_view kid, std::string_view more, const RsaNumbers& numbers = rsa_numbers(rsa_pem)) {
  return jwk("RSA", kid, {{"n", numbers.modulus}, {"e", numbers.exponent}}, more);
}

std::string ec(std::string_view kid, std::string_view more, const EcPoint& point = ec_point(ec_pem),
               std::string_view crv = "P-256") {
  return jwk("EC", kid, {{"x", point.x}, {"y", point.y}}, R"(,"crv":")" + std::string(crv) + '"' + std::string(more));
}

// The same number with a leading zero byte.
RsaNumbers long_modulus() { return {'\0' + rsa_numbers(rsa_pem).modulus, rsa_numbers(rsa_pem).exponent}; }
RsaNumbers long_exponent() { return {rsa_numbers(rsa_pem).modulus, '\0' + rsa_numbers(rsa_pem).exponent}; }
EcPoint long_point() { return {'\0' + ec_point(ec_pem).x, ec_point(ec_pem).y}; }
EcPoint off_the_curve() { return {ec_point(ec_pem).y, ec_point(ec_pem).x}; }

// The neutral element: with this key, a signature of zeros and the same point satisfies an incorrect verifier.
std::string neutral_point() {
  std::string point(32, '\0');
  point[0] = 1;
  return point;
}

}  // namespace

SigningKey rule_key_eddsa(std::string_view name) { return ed25519_key(name, seed_of(name)); }

SigningKey rule_key_hs256(std::string_view name) { return {"HS256", std::string(name), seed_of(name), {}}; }

SigningKey rule_key_rsa(std::string_view algorithm, std::string_view name) {
  return {std::string(algorithm), std::string(name), std::string(rsa_pem), {}};
}

SigningKey rule_key_es256(std::string_view name) { return {"ES256", std::string(name), std::string(ec_pem), {}}; }

SigningKey rule_key_short_rsa() { return {"RS256", "short-rsa", std::string(short_rsa_pem), {}}; }

std::string key_rules_set() {
  const std::string keys[] = {
      okp("good-eddsa", R"(,"alg":"EdDSA","use":"sig")"),
      okp("good-ed25519", R"(,"alg":"Ed25519","use":"sig")"),
      okp("no-alg-eddsa", ""),
      oct("no-alg-hs256", ""),
      okp("verify-eddsa", R"(,"key_ops":["verify","sign"])"),
      okp("private-eddsa", ",\"d\":" + json_string(base64url(seed_of("private-eddsa")))),
      okp("low-order", R"(,"alg":"EdDSA")", "Ed25519", neutral_point()),
      oct("short-hs256", R"(,"alg":"HS256")", seed_of("short-hs256").substr(0, 31)),
      okp("encryption", R"(,"alg":"EdDSA","use":"enc")"),
      oct("sign-only", R"(,"alg":"HS256","key_ops":["sign"])"),
      okp("okp-as-hs256", R"(,"alg":"HS256")"),
      oct("oct-as-eddsa", R"(,"alg":"EdDSA")"),
      okp("other-curve", R"(,"alg":"EdDSA")", "Ed448"),
      okp("long-coordinate", R"(,"alg":"EdDSA")", "Ed25519", rule_key_eddsa("long-coordinate").public_key + '\0'),
      // p + 1, which reduces to the neutral point: not canonical.
      okp("not-canonical", R"(,"alg":"EdDSA")", "Ed25519", '\xee' + std::string(30, '\xff') + '\x7f'),
      okp("name-twice", R"(,"alg":"EdDSA","use":"enc","use":"sig")"),
      okp("unusual-eddsa", R"(,"alg":null,"use":"","key_ops":[],"x5c":[],"d":null)"),
      rsa("unusual-rsa", R"(,"alg":"RS256","use":null,"key_ops":null,"oth":[],"x5t":"")"),
      okp("one-kid", R"(,"alg":"EdDSA","use":"enc")", "X25519"),
      okp("one-kid", R"(,"alg":"EdDSA")"),
      okp("one-kid", R"(,"alg":"EdDSA")", "Ed25519", rule_key_eddsa("second-of-one-kid").public_key),
      oct("one-kid", R"(,"alg":"HS256")"),
      rsa("one-kid", R"(,"alg":"RS512")"),
      rsa("one-kid", R"(,"alg":"RS256","use":"enc")", rsa_numbers(short_rsa_pem)),
      rsa("one-kid", R"(,"alg":"RS256","use":"sig")"),
      rsa("good-rs256", R"(,"alg":"RS256","use":"sig")"),
      rsa("good-ps256", R"(,"alg":"PS256")"),
      rsa("no-alg-rsa", ""),
      ec("good-es256", R"(,"alg":"ES256")"),
      ec("no-alg-ec", ""),
      rsa("short-rsa", R"(,"alg":"RS256")", rsa_numbers(short_rsa_pem)),
      rsa("exponent-one", R"(,"alg":"RS256")", {rsa_numbers(rsa_pem).modulus, "\1"}),
      rsa("long-modulus", R"(,"alg":"RS256")", long_modulus()),
      rsa("long-exponent", R"(,"alg":"RS256")", long_exponent()),
      rsa("rsa-as-es256", R"(,"alg":"ES256")"),
      rsa("rsa-as-hs256", R"(,"alg":"HS256")"),
      rsa("rs512", R"(,"alg":"RS512")"),
      ec("ec-as-rs256", R"(,"alg":"RS256")"),
      ec("ec-of-other-curve", R"(,"alg":"ES256")", ec_point(ec_pem), "P-384"),
      ec("long-point", R"(,"alg":"ES256")", long_point()),
      ec("off-the-curve", R"(,"alg":"ES256")", off_the_curve()),
  };
  std::string set = R"({"keys":[)";
  for (const std::string& key : keys) set += (set.back() == '[' ? "" : ",") + key;
  return set + "]}";
}

}  // namespace portail::contract
