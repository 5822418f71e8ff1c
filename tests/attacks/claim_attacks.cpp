// Issuer, audience, subject, kind and tenant (RFC 8725 sections 3.8, 3.9 and 3.12; RFC 9068 section 4).
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

class Claims {
 public:
  // `claim` is the one that `attack` changes.
  explicit Claims(std::string_view claim) : claim_(claim) {}
  void attack(std::string_view name, std::string_view json, std::string_view answer) {
    attacks_.push_back(with_token(name, eddsa_token(good_header, claims_with(claim_, json)), answer));
  }
  void attack_all(std::string_view name, std::string_view claims, std::string_view answer) {
    attacks_.push_back(with_token(name, eddsa_token(good_header, claims), answer));
  }
  Attack& last() { return attacks_.back(); }
  std::vector<Attack> release() { return std::move(attacks_); }

 private:
  std::string_view claim_;
  std::vector<Attack> attacks_;
};

std::string quoted_json(std::string_view text) { return '"' + std::string(text) + '"'; }

// The good claims without sub, and with these members.
std::string without_sub(std::string_view members) {
  std::string claims = claims_with("sub", "");
  claims.insert(claims.size() - 1, members);
  return claims;
}

}  // namespace

std::vector<Attack> issuer_attacks() {
  using refusal::issuer;
  Claims claims("iss");
  claims.attack("none", "", issuer);
  claims.attack("empty", R"("")", issuer);
  claims.attack("null", "null", issuer);
  claims.attack("an array", R"(["https://issuer.test"])", issuer);
  claims.attack("an object", R"({"https://issuer.test":true})", issuer);
  claims.attack("another", R"("https://evil.test")", issuer);
  claims.attack("a trailing slash", R"("https://issuer.test/")", issuer);
  claims.attack("a prefix", R"("https://issuer.tes")", issuer);
  claims.attack("longer", R"("https://issuer.test.evil.test")", issuer);
  claims.attack("a user", R"("https://issuer.test@evil.test")", issuer);
  claims.attack("another scheme", R"("http://issuer.test")", issuer);
  claims.attack("another case", R"("https://Issuer.test")", issuer);
  claims.attack("its port", R"("https://issuer.test:443")", issuer);
  claims.attack("a space", R"(" https://issuer.test")", issuer);
  claims.attack("a NUL", R"("https://issuer.test\u0000.evil.test")", issuer);
  claims.attack("a Cyrillic letter", R"("https://\u0456ssuer.test")", issuer);
  claims.attack("percent-encoded", R"("https://%69ssuer.test")", issuer);
  claims.attack("two in one", R"("https://issuer.test https://evil.test")", issuer);
  claims.attack("written with escapes", R"("https:\/\/issuer\u002etest")", accepted);
  return claims.release();
}

std::vector<Attack> audience_attacks() {
  using refusal::audience;
  using refusal::audience_not_strings;
  Claims claims("aud");
  claims.attack("none", "", audience);
  claims.attack("empty", R"("")", audience);
  claims.attack("null", "null", audience);
  claims.attack("a number", "1", audience);
  claims.attack("true", "true", audience);
  claims.attack("an object", R"({"portail-test":true})", audience);
  claims.attack("an empty array", "[]", audience);
  claims.attack("an array in an array", R"([["portail-test"]])", audience_not_strings);
  claims.attack("a number first", R"([1,"portail-test"])", audience_not_strings);
  claims.attack("null last", R"(["portail-test",null])", audience_not_strings);
  claims.attack("an object last", R"(["portail-test",{}])", audience_not_strings);
  claims.attack("others", R"(["account","other"])", audience);
  claims.attack("a prefix", R"("portail")", audience);
  claims.attack("longer", R"("portail-test-2")", audience);
  claims.attack("a trailing slash", R"("portail-test/")", audience);
  claims.attack("another case", R"("Portail-Test")", audience);
  claims.attack("a space", R"("portail-test ")", audience);
  claims.attack("a NUL", R"("portail-test\u0000")", audience);
  claims.attack("two in one, with a space", R"("account portail-test")", audience);
  claims.attack("two in one, with a comma", R"("account,portail-test")", audience);
  claims.attack("an array as text", R"("[\"portail-test\"]")", audience);
  claims.attack("anything", R"("*")", audience);
  claims.attack_all("in another claim",
                    claims_with("aud", "").insert(1, R"("azp":"portail-test","resource":"portail-test",)"), audience);
  claims.attack("one of several", R"(["account","portail-test"])", accepted);
  claims.attack("twice", R"(["portail-test","portail-test"])", accepted);
  claims.attack("alone in an array", R"(["portail-test"])", accepted);
  return claims.release();
}

std::vector<Attack> subject_attacks() {
  using namespace refusal;
  Claims claims("sub");
  claims.attack("none, and no client", "", no_identity);
  claims.attack("empty", R"("")", subject_length);
  claims.attack("256 bytes", quoted_json(std::string(256, 's')), subject_length);
  claims.attack_all("empty, beside a client", without_sub(R"(,"sub":"","client_id":"robot")"), subject_length);
  claims.attack("128 letters of two bytes", quoted_json([] {
                  std::string text;
                  for (int i = 0; i < 128; ++i) text += "é";
                  return text;
                }()),
                subject_length);
  claims.attack("128 letters of two bytes, as escapes", quoted_json([] {
                  std::string text;
                  for (int i = 0; i < 128; ++i) text += "\\u00e9";
                  return text;
                }()),
                subject_length);
  claims.attack("a number", "1", sub_not_string);
  claims.attack("null", "null", sub_not_string);
  claims.attack("true", "true", sub_not_string);
  claims.attack("an array", R"(["sub-client"])", sub_not_string);
  claims.attack("an object", R"({"sub":"sub-client"})", sub_not_string);
  claims.attack_all("under another case", without_sub(R"(,"Sub":"sub-client")"), no_identity);
  claims.attack_all("a client that is a number", claims_and(R"(,"client_id":1)"), client_not_string);
  claims.attack_all("a client that is an array", claims_and(R"(,"azp":["portal"])"), client_not_string);
  claims.attack_all("an azp that is null beside a client_id", claims_and(R"(,"client_id":"portal","azp":null)"),
                    client_not_string);
  claims.attack_all("an empty client and no sub", without_sub(R"(,"client_id":"","azp":"")"), no_identity);
  claims.attack_all("a null sub beside a client", without_sub(R"(,"sub":null,"client_id":"robot")"), sub_not_string);
  claims.attack_all("another subject claim, which is a number", claims_and(R"(,"oid":1)"), subject_not_string);
  claims.last().subject_claim = "oid";
  claims.attack_all("another subject claim, which is empty", claims_and(R"(,"oid":"")"), subject_length);
  claims.last().subject_claim = "oid";
  claims.attack_all("another subject claim, which is not there", claims_and(R"(,"Oid":"x")"), no_identity);
  claims.last().subject_claim = "oid";
  claims.attack("255 bytes", quoted_json(std::string(255, 's')), accepted);
  claims.attack("a NUL in it", R"("sub-client\u0000")", accepted);  // a subject other than sub-client
  claims.attack_all("none, and a client", without_sub(R"(,"client_id":"robot")"), accepted);
  claims.attack_all("another subject claim", claims_and(R"(,"oid":"0f0e")"), accepted);
  claims.last().subject_claim = "oid";
  return claims.release();
}

std::vector<Attack> kind_attacks() {
  using refusal::id_token;
  using refusal::not_access_token;
  using refusal::other_token;
  Claims claims("typ");
  claims.attack("an ID token", R"("ID")", not_access_token);
  claims.attack("a refresh token", R"("Refresh")", not_access_token);
  claims.attack("an ID token, written with escapes", R"("\u0049D")", not_access_token);
  claims.attack_all("its name written with escapes", claims_and(R"(,"\u0074yp":"Refresh")"), not_access_token);
  claims.attack_all("at_hash", claims_and(R"(,"at_hash":"77QmUPtjPfzWtF2AnpK9RQ")"), id_token);
  claims.attack_all("c_hash", claims_and(R"(,"c_hash":"LDktKdoQak3Pk0cnXxCltA")"), id_token);
  claims.attack_all("at_hash that is null", claims_and(R"(,"at_hash":null)"), id_token);
  claims.attack_all("at_hash written with escapes", claims_and(R"(,"at\u005fhash":"x")"), id_token);
  claims.attack_all("c_hash that is empty", claims_and(R"(,"c_hash":"")"), id_token);
  claims.attack("a logout token", R"("Logout")", other_token);
  claims.attack("an offline token", R"("Offline")", other_token);
  claims.attack("the token of a session cookie", R"("Serialized-ID")", other_token);
  claims.attack("an action token", R"("reset-credentials")", other_token);
  claims.attack("the type of a logout token", R"("logout+jwt")", other_token);
  claims.attack("ID in lower case", R"("id")", not_access_token);
  claims.attack("an empty kind", R"("")", other_token);
  claims.attack("a kind that is null", "null", other_token);
  claims.attack("a kind that is a list", R"(["Bearer"])", other_token);
  claims.attack("a space after the kind", R"("Bearer ")", other_token);
  claims.attack_all("Cognito's ID token", claims_and(R"(,"token_use":"id")"), not_access_token);
  claims.attack_all("an ID token that says access too", claims_and(R"(,"token_use":"access","typ":"ID")"),
                    not_access_token);
  claims.attack_all("a logout token by its events",
                    claims_and(R"(,"events":{"http://schemas.openid.net/event/backchannel-logout":{}},"sid":"s")"),
                    other_token);
  claims.attack_all("a security event with a kind and a scope",
                    claims_and(R"(,"events":{},"typ":"Bearer","scope":"openid")"), other_token);
  claims.attack_all("events that are null", claims_and(R"(,"events":null)"), other_token);
  claims.attack_all("s_hash", claims_and(R"(,"s_hash":"LDktKdoQak3Pk0cnXxCltA")"), id_token);
  claims.attack_all("at_hash with a kind and a scope", claims_and(R"(,"at_hash":"x","typ":"Bearer","scope":"openid")"),
                    id_token);
  claims.attack_all("a nonce and an authentication time", claims_and(R"(,"nonce":"n","auth_time":1768478000)"),
                    id_token);
  claims.attack_all("a nonce that is null", claims_and(R"(,"nonce":null)"), id_token);
  claims.attack("Keycloak's access token", R"("Bearer")", accepted);
  claims.attack("one that is bound to a key", R"("DPoP")", accepted);
  claims.attack_all("Cognito's access token", claims_and(R"(,"token_use":"access","scope":"openid")"), accepted);
  claims.attack_all("Keycloak's, before version 25", claims_and(R"(,"typ":"Bearer","nonce":"n","acr":"1")"), accepted);
  claims.attack_all("Azure AD B2C's", claims_and(R"(,"nonce":"n","scp":"read","azp":"client","ver":"1.0")"), accepted);
  claims.attack("the media type of an access token", R"("application/at+jwt")", accepted);
  claims.attack("the type of any token", R"("JWT")", accepted);
  claims.attack_all("the type of any token and a nonce", claims_and(R"(,"typ":"JWT","nonce":"n")"), id_token);
  claims.attack_all("a use in words", claims_and(R"(,"token_use":"access_token")"), accepted);
  claims.attack_all("what RFC 9068 takes from ID tokens",
                    claims_and(R"(,"auth_time":1768478000,"acr":"1","amr":["pwd"],"sid":"s","jti":"j")"), accepted);
  claims.attack_all("names in upper case", claims_and(R"(,"EVENTS":{},"Nonce":"n","TYP":"ID")"), accepted);
  return claims.release();
}

std::vector<Attack> tenant_attacks() {
  using refusal::tenant;
  Claims claims("tenantid");
  const auto attack = [&claims](std::string_view name, std::string_view json, std::string_view answer) {
    claims.attack(name, json, answer);
    claims.last().tenant = "tenant-1";
  };
  attack("none", "", tenant);
  attack("another", R"("tenant-2")", tenant);
  attack("empty", R"("")", tenant);
  attack("null", "null", tenant);
  attack("a number", "1", tenant);
  attack("an array", R"(["tenant-1"])", tenant);
  attack("longer", R"("tenant-11")", tenant);
  attack("another case", R"("Tenant-1")", tenant);
  attack("a NUL", R"("tenant-1\u0000")", tenant);
  claims.attack_all("under another name", claims_and(R"(,"tenant_id":"tenant-1","tid":"tenant-1")"), tenant);
  claims.last().tenant = "tenant-1";
  claims.attack("none, and a header that names it", R"("tenant-2")", tenant);
  claims.last().tenant = "tenant-1";
  claims.last().headers.emplace_back("__tenant", "tenant-1");
  attack("the tenant", R"("tenant-1")", accepted);
  claims.attack("another, where none is set", R"("tenant-2")", accepted);
  claims.attack("the tenant, and a header that names another", R"("tenant-1")", accepted);
  claims.last().tenant = "tenant-1";
  claims.last().headers.emplace_back("__tenant", "tenant-2");
  return claims.release();
}

}  // namespace portail
