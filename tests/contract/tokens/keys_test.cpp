// docs/reference/contract.md, "Tokens": alg, key choice, key sets.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/key_rules.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/rsa_and_ec_keys.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string claims() { return claims_of(fill("$RUN-client")).text(); }
JsonObject header() { return header_of(eddsa_key()); }

Reply present(std::string_view value) { return get("/api/app/liasse").bearer(value).send(); }
void expect_accepted(std::string_view value) { EXPECT_EQ(present(value).status, 200) << describe(present(value)); }
std::string with_header(const JsonObject& changed) { return token(eddsa_key(), changed.text(), claims()); }

TEST(TokenKeys, TheAlgorithmIsBoundToTheKey) {
  checks("Tokens: form, alg bound to the key");
  expect_accepted(with_header(header()));
  expect_accepted(with_header(header().set("alg", "\"Ed25519\"")));
  expect_accepted(token(hs256_key(), header_of(hs256_key()).text(), claims()));

  for (const char* wrong :
       {"\"none\"", "\"eddsa\"", "\"ed25519\"", "\"Ed448\"", "\"HS512\"", "\"RS256\"", "null", "[\"EdDSA\"]"})
    expect_token_refused(present(with_header(header().set("alg", wrong))));
  expect_token_refused(present(with_header(header().remove("alg"))));
  const std::string unsigned_parts =
      base64url(header().set("alg", "\"none\"").text()) + "." + base64url(claims()) + ".";
  expect_token_refused(present(unsigned_parts));
  expect_token_refused(present(unsigned_parts + "AA"));

  // The public key as an HMAC secret, under the public key's name.
  const SigningKey confused{"HS256", eddsa_key().identifier, eddsa_key().public_key, {}};
  expect_token_refused(present(token(confused, header_of(confused).text(), claims())));
  // An HMAC with the right secret, under another algorithm's name or key.
  expect_token_refused(present(token(hs256_key(), header_of(hs256_key()).set("alg", "\"EdDSA\"").text(), claims())));
  expect_token_refused(present(
      token(hs256_key(), header_of(hs256_key()).set("kid", json_string(eddsa_key().identifier)).text(), claims())));
}

TEST(TokenKeys, Kid) {
  checks("Tokens: key choice, kid");
  expect_accepted(with_header(header().remove("kid")));
  expect_accepted(token(hs256_key(), header_of(hs256_key()).remove("kid").text(), claims()));
  for (const char* wrong : {"\"unknown\"", "\"\"", "null", "1", "[]"})
    expect_token_refused(present(with_header(header().set("kid", wrong))));
  expect_token_refused(present(with_header(header().set("kid", json_string(hs256_key().identifier)))));
  const SigningKey stranger = ed25519_key(eddsa_key().identifier, std::string(32, 'x'));
  expect_token_refused(present(token(stranger, header().text(), claims())));
  expect_token_refused(present(token(stranger, header().remove("kid").text(), claims())));
  PORTAIL_REQUIRE(environment().key_rules, "PORTAIL_CONTRACT_KEY_RULES_URL");
  const SigningKey one_of_several = rule_key_eddsa("good-eddsa");
  const auto ask = [&](const JsonObject& head) {
    return get("/api/app/liasse").bearer(token(one_of_several, head.text(), claims())).send(*environment().key_rules);
  };
  EXPECT_EQ(ask(header_of(one_of_several)).status, 200);
  expect_token_refused(ask(header_of(one_of_several).remove("kid")));
}

TEST(TokenKeys, AKidOfSeveralKeys) {
  checks("Tokens: key choice, kid");
  PORTAIL_REQUIRE(environment().key_rules, "PORTAIL_CONTRACT_KEY_RULES_URL");
  const auto ask = [](SigningKey key) {
    key.identifier = "one-kid";
    return get("/api/app/liasse").bearer(token(key, header_of(key).text(), claims())).send(*environment().key_rules);
  };
  for (const SigningKey& key : {rule_key_eddsa("one-kid"), rule_key_eddsa("second-of-one-kid"),
                                rule_key_hs256("one-kid"), rule_key_rsa("RS256", "one-kid")}) {
    SCOPED_TRACE(key.algorithm);
    EXPECT_EQ(ask(key).status, 200) << describe(ask(key));
  }
  expect_token_refused(ask(rule_key_eddsa("no-alg-eddsa")));
  expect_token_refused(ask(rule_key_hs256("no-alg-hs256")));
  expect_token_refused(ask(rule_key_rsa("PS256", "one-kid")));
  expect_token_refused(ask(rule_key_es256("one-kid")));
  expect_token_refused(ask(rule_key_short_rsa()));
  expect_token_refused(ask(SigningKey{"HS256", "one-kid", rule_key_eddsa("one-kid").public_key, {}}));
}

TEST(TokenKeys, KeysInTheTokenAreNotFollowed) {
  checks("Tokens: key choice, jwk, jku, x5u, x5c");
  const SigningKey stranger = ed25519_key("stranger", std::string(32, 'x'));
  const std::string jwk =
      R"({"kty":"OKP","crv":"Ed25519","kid":"stranger","x":")" + base64url(stranger.public_key) + "\"}";
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"jwk", jwk},
                                                        {"jku", "\"https://ailleurs.example/keys\""},
                                                        {"x5u", "\"https://ailleurs.example/chain\""},
                                                        {"x5c", "[\"MIIB\"]"}}) {
    SCOPED_TRACE(name);
    for (const std::string& kid : {std::string("stranger"), eddsa_key().identifier})
      expect_token_refused(
          present(token(stranger, header_of(stranger).set("kid", json_string(kid)).set(name, value).text(), claims())));
    expect_token_refused(present(token(stranger, header_of(stranger).remove("kid").set(name, value).text(), claims())));
  }
}

TEST(TokenKeys, Crit) {
  checks("Tokens: key choice, crit");
  for (const char* crit : {R"(["exp"])", R"(["b64"])", "[]", "null", "\"exp\"", "{}"})
    expect_token_refused(present(with_header(header().set("crit", crit).set("exp", "1").set("b64", "true"))));
}

TEST(TokenKeys, Typ) {
  checks("Tokens: key choice, typ");
  expect_accepted(with_header(header().remove("typ")));
  for (const char* good : {"JWT", "jwt", "Jwt", "at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+JWT",
                           "application/jwt", "APPLICATION/JWT"})
    expect_accepted(with_header(header().set("typ", json_string(good))));
  for (const char* wrong : {"\"id+jwt\"", "\"application/id+jwt\"", "\"application/\"", "\"\"", "null", "[\"JWT\"]"})
    expect_token_refused(present(with_header(header().set("typ", wrong))));
}

class KeyRules : public testing::Test {
 protected:
  static Reply present(const SigningKey& key) { return send(token(key, header_of(key).text(), claims())); }
  // The signing input of a token for that key.
  static std::string signing_input(const SigningKey& key) {
    return base64url(header_of(key).text()) + "." + base64url(claims());
  }
  static Reply present(const std::string& signed_text, std::string_view signature) {
    return send(signed_text + "." + base64url(signature));
  }

 private:
  static Reply send(const std::string& token) {
    return get("/api/app/liasse").bearer(token).send(*environment().key_rules);
  }
};

TEST_F(KeyRules, AKeyWithoutAlg) {
  checks("Tokens: form, a key without alg");
  PORTAIL_REQUIRE(environment().key_rules, "PORTAIL_CONTRACT_KEY_RULES_URL");
  EXPECT_EQ(present(rule_key_eddsa("no-alg-eddsa")).status, 200);
  EXPECT_EQ(present(rule_key_hs256("no-alg-hs256")).status, 200);
  EXPECT_EQ(present(rule_key_rsa("RS256", "no-alg-rsa")).status, 200);
  EXPECT_EQ(present(rule_key_es256("no-alg-ec")).status, 200);
  expect_token_refused(present(rule_key_rsa("PS256", "no-alg-rsa")));
  // One algorithm only: its public half is no HMAC secret.
  const SigningKey confused{"HS256", "no-alg-eddsa", rule_key_eddsa("no-alg-eddsa").public_key, {}};
  expect_token_refused(present(confused));
}

TEST_F(KeyRules, EachAlgorithm) {
  checks("Tokens: form, alg bound to the key");
  PORTAIL_REQUIRE(environment().key_rules, "PORTAIL_CONTRACT_KEY_RULES_URL");
  const SigningKey rs256 = rule_key_rsa("RS256", "good-rs256");
  const SigningKey ps256 = rule_key_rsa("PS256", "good-ps256");
  const SigningKey es256 = rule_key_es256("good-es256");
  for (const SigningKey& key : {rs256, ps256, es256}) {
    SCOPED_TRACE(key.algorithm);
    EXPECT_EQ(present(key).status, 200) << describe(present(key));
    const std::string input = signing_input(key);
    const std::string good = signature(key, input);
    std::string changed = good;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    for (const std::string& wrong : {changed, good + '\0', '\0' + good, good.substr(1), std::string(good.size(), '\0'),
                                     std::string(good.size(), '\xff')})
      expect_token_refused(present(input, wrong));
  }
  // One algorithm by two names.
  const SigningKey ed25519 = rule_key_eddsa("good-ed25519");
  EXPECT_EQ(present(ed25519).status, 200) << "EdDSA of a key with alg Ed25519";
  EXPECT_EQ(get("/api/app/liasse")
                .bearer(token(ed25519, header_of(ed25519).set("alg", "\"Ed25519\"").text(), claims()))
                .send(*environment().key_rules)
                .status,
            200);
  // One algorithm only, whatever the key's type supports.
  expect_token_refused(present(rule_key_rsa("PS256", "good-rs256")));
  expect_token_refused(present(rule_key_rsa("RS256", "good-ps256")));
  expect_token_refused(present(signing_input(rs256), signature(ps256, signing_input(rs256))));
  expect_token_refused(present(rule_key_rsa("RS256", "good-es256")));
  expect_token_refused(present(rule_key_es256("good-rs256")));
  expect_token_refused(present(signing_input(es256), der_signature(ec_pem, signing_input(es256))));
  // The public half as an HMAC secret.
  expect_token_refused(present(SigningKey{"HS256", "good-rs256", rsa_numbers(rsa_pem).modulus, {}}));
}

TEST_F(KeyRules, Refused) {
  checks("Tokens: keys refused");
  PORTAIL_REQUIRE(environment().key_rules, "PORTAIL_CONTRACT_KEY_RULES_URL");
  for (const char* accepted : {"good-eddsa", "verify-eddsa", "private-eddsa", "unusual-eddsa"})
    EXPECT_EQ(present(rule_key_eddsa(accepted)).status, 200) << accepted;
  EXPECT_EQ(present(rule_key_rsa("RS256", "unusual-rsa")).status, 200);

  for (const char* name : {"encryption", "other-curve", "long-coordinate", "name-twice"}) {
    SCOPED_TRACE(name);
    expect_token_refused(present(rule_key_eddsa(name)));
  }
  SigningKey short_secret = rule_key_hs256("short-hs256");
  short_secret.secret.resize(31);
  const SigningKey confused{"HS256", "okp-as-hs256", rule_key_eddsa("okp-as-hs256").public_key, {}};
  for (const SigningKey& key : {short_secret, confused, rule_key_hs256("sign-only"), rule_key_hs256("oct-as-eddsa"),
                                rule_key_eddsa("okp-as-hs256"), rule_key_eddsa("oct-as-eddsa")}) {
    SCOPED_TRACE(key.identifier);
    expect_token_refused(present(key));
  }
  for (const SigningKey& key :
       {rule_key_short_rsa(), rule_key_rsa("RS256", "long-modulus"), rule_key_rsa("RS256", "long-exponent"),
        rule_key_rsa("RS256", "rsa-as-es256"), rule_key_rsa("RS256", "rsa-as-hs256"), rule_key_rsa("RS256", "rs512"),
        rule_key_es256("ec-as-rs256"), rule_key_es256("ec-of-other-curve"), rule_key_es256("long-point"),
        rule_key_es256("off-the-curve")}) {
    SCOPED_TRACE(key.identifier);
    expect_token_refused(present(key));
  }
  const SigningKey powerless = rule_key_rsa("RS256", "exponent-one");
  const std::string input = signing_input(powerless);
  expect_token_refused(present(input, signature_under_exponent_one(rsa_numbers(rsa_pem).modulus.size(), input)));
  // For the neutral point as key, R = that point and S = 0 satisfy the equation, whatever is signed.
  const std::string forged = '\x01' + std::string(63, '\0');
  for (const char* name : {"low-order", "not-canonical"}) {
    SCOPED_TRACE(name);
    const SigningKey key = ed25519_key(name, std::string(32, 'x'));
    expect_token_refused(present(signing_input(key), forged));
  }
  EXPECT_EQ(get("/health/ready").send(*environment().key_rules).status, 200) << "some keys can be used";
}

TEST(TokenKeys, NoUsableKeySet) {
  checks("Tokens: no usable key set");
  checks("Errors: 503");
  PORTAIL_REQUIRE(environment().keyless, "PORTAIL_CONTRACT_KEYLESS_URL");
  for (const char* target : {"/api/app/liasse", "/api/app/objet-courrier", "/api/app/liasse/x"}) {
    const Reply reply = get(target).bearer(token(fill("$RUN-client"))).send(*environment().keyless);
    expect_error(reply, 503);
    const std::string seconds = reply.header("Retry-After");
    EXPECT_TRUE(!seconds.empty() && seconds.find_first_not_of("0123456789") == std::string::npos) << describe(reply);
    EXPECT_FALSE(reply.has("WWW-Authenticate"));
  }
  for (const char* garbage :
       {"x", "a.b.c", "..", "e30.e30.AA", "eyJhbGciOiJub25lIn0.e30.AA", "eyJhbGciOiJSUzI1NiJ9.eA.AA",
        "eyJhbGciOiJSUzI1NiJ9.e30.", "eyJhbGciOiJSUzI1NiJ9.e30=.AA"}) {
    SCOPED_TRACE(garbage);
    const Reply reply = get("/api/app/liasse").bearer(garbage).send(*environment().keyless);
    expect_error(reply, 401);
    EXPECT_TRUE(reply.header("WWW-Authenticate").starts_with("Bearer error=\"invalid_token\"")) << describe(reply);
  }
  EXPECT_EQ(get("/api/app/liasse").bearer("eyJhbGciOiJSUzI1NiJ9.e30.AA").send(*environment().keyless).status, 503)
      << "the form of a token";
}

}  // namespace
}  // namespace portail::contract
