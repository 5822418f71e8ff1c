// docs/reference/contract.md, "Tokens: claims". tests/attacks has more claims for each rule.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

JsonObject claims() { return claims_of(fill("$RUN-client")); }
Reply present(const JsonObject& with, const BaseUrl& url = environment().base) {
  return get("/api/app/liasse").bearer(token(with)).send(url);
}
void expect_accepted(const JsonObject& with) {
  const Reply reply = present(with);
  EXPECT_EQ(reply.status, 200) << with.text() << "\n" << describe(reply);
}
void expect_refused(const JsonObject& with) {
  SCOPED_TRACE(with.text().substr(0, 400));
  expect_token_refused(present(with));
}

TEST(Claims, Issuer) {
  checks("Tokens: claims, iss");
  expect_accepted(claims());
  const std::string& issuer = environment().issuer;
  for (const std::string& wrong :
       {json_string(issuer + "/x"), json_string(issuer.substr(0, issuer.size() - 1)), "[" + json_string(issuer) + "]"})
    expect_refused(claims().set("iss", wrong));
  expect_refused(claims().remove("iss"));
}

TEST(Claims, Audience) {
  checks("Tokens: claims, aud");
  const std::string audience = json_string(environment().audience);
  expect_accepted(claims().set("aud", audience));
  expect_accepted(claims().set("aud", "[" + audience + "]"));
  expect_accepted(claims().set("aud", "[\"other\"," + audience + "]"));
  for (const std::string& wrong : {std::string("[]"), std::string("[\"other\"]"), "[" + audience + ",1]",
                                   "{" + audience + ":true}", json_string(environment().audience + "s")})
    expect_refused(claims().set("aud", wrong));
  expect_refused(claims().remove("aud"));
  PORTAIL_REQUIRE(environment().second_audience, "PORTAIL_CONTRACT_SECOND_AUDIENCE");
  expect_accepted(claims().set("aud", json_string(*environment().second_audience)));
}

TEST(Claims, Times) {
  checks("Tokens: claims, exp and nbf");
  expect_refused(claims().remove("exp"));
  expect_accepted(claims().set("exp", "9007199254740992"));
  expect_accepted(claims().set("exp", std::to_string(now() + 600) + ".75"));
  expect_accepted(claims().set("exp", "4.0e9"));
  for (const char* wrong : {"9007199254740994", "1e999", "-1", "1", "\"4000000000\""})
    expect_refused(claims().set("exp", wrong));
  expect_accepted(claims().set("nbf", "0"));
  expect_accepted(claims().set("nbf", std::to_string(now() - 10)));
  for (const std::string& wrong :
       {std::to_string(now() + 7200), std::string("-1"), std::string("9007199254740994"), std::string("\"0\"")})
    expect_refused(claims().set("nbf", wrong));
}

TEST(Claims, Leeway) {
  checks("Tokens: claims, leeway");
  // 60 seconds by default; well inside and outside, for hosts with another clock.
  expect_accepted(claims().set("exp", std::to_string(now() - 20)));
  expect_refused(claims().set("exp", std::to_string(now() - 120)));
  expect_accepted(claims().set("nbf", std::to_string(now() + 20)));
  expect_refused(claims().set("nbf", std::to_string(now() + 120)));
  PORTAIL_REQUIRE(environment().no_leeway, "PORTAIL_CONTRACT_NO_LEEWAY_URL");
  expect_token_refused(present(claims().set("exp", std::to_string(now() - 20)), *environment().no_leeway));
  expect_token_refused(present(claims().set("nbf", std::to_string(now() + 30)), *environment().no_leeway));
  EXPECT_EQ(present(claims(), *environment().no_leeway).status, 200);
}

TEST(Claims, Subject) {
  checks("Tokens: claims, sub");
  expect_accepted(claims().set("sub", json_string(std::string(255, 's'))));
  expect_refused(claims().set("sub", json_string(std::string(256, 's'))));
  for (const char* wrong : {"\"\"", "null", "1", "[\"x\"]", "{}"}) {
    expect_refused(claims().set("sub", wrong));
    expect_refused(claims().set("sub", wrong).set("client_id", "\"x\""));
  }
  expect_refused(claims().remove("sub"));
  expect_refused(claims().remove("sub").set("client_id", "\"\""));
  expect_refused(claims().remove("sub").set("azp", "1"));
  // A client's own token: a caller without bundles.
  expect_json(present(claims().remove("sub").set("client_id", json_string(fill("$RUN-client")))), "[]");
  expect_json(present(claims().remove("sub").set("azp", json_string(fill("$RUN-client")))), "[]");
}

TEST(Claims, AnotherSubjectClaim) {
  checks("Tokens: claims, PORTAIL_SUBJECT_CLAIM");
  PORTAIL_REQUIRE(environment().subject_claim, "PORTAIL_CONTRACT_SUBJECT_CLAIM_URL");
  const BaseUrl& url = *environment().subject_claim;
  expect_json(present(claims_of("pairwise").set(contract_subject_claim, json_string(fill("$RUN-client"))), url),
              "[" + client_bundles() + "]");
  expect_json(present(claims().set(contract_subject_claim, json_string(fill("$RUN-outsider"))), url), "[]");
  expect_token_refused(present(claims(), url));
  expect_token_refused(present(claims().set(contract_subject_claim, "\"\""), url));
}

TEST(Claims, IdAndRefreshTokens) {
  checks("Tokens: claims, ID and refresh tokens");
  expect_accepted(claims().set("typ", "\"Bearer\""));
  expect_refused(claims().set("typ", "\"ID\""));
  expect_accepted(claims().set("typ", "\"DPoP\""));
  expect_accepted(claims().set("token_use", "\"access\""));
  expect_accepted(claims().set("auth_time", "1").set("acr", "\"1\"").set("amr", "[\"pwd\"]").set("sid", "\"s\""));
  for (const char* other :
       {"\"Refresh\"", "\"Offline\"", "\"Logout\"", "\"Serialized-ID\"", "\"logout+jwt\"", "\"\"", "null"})
    expect_refused(claims().set("typ", other));
  expect_refused(claims().set("token_use", "\"id\""));
  for (const char* name : {"at_hash", "c_hash", "s_hash"}) {
    expect_refused(claims().set(name, "\"x\""));
    expect_refused(claims().set(name, "\"x\"").set("typ", "\"Bearer\"").set("scope", "\"openid\""));
  }
  const std::string logout = R"({"http://schemas.openid.net/event/backchannel-logout":{}})";
  expect_refused(claims().set("events", logout));
  expect_refused(claims().set("events", logout).set("typ", "\"Bearer\"").set("scope", "\"openid\""));
  expect_refused(claims().set("nonce", "\"n\""));
  expect_refused(claims().set("nonce", "\"n\"").set("auth_time", "1").set("azp", "\"x\""));
  expect_accepted(claims().set("nonce", "\"n\"").set("typ", "\"Bearer\""));
  expect_accepted(claims().set("nonce", "\"n\"").set("token_use", "\"access\""));
  expect_accepted(claims().set("nonce", "\"n\"").set("scope", "\"openid\""));
  expect_accepted(claims().set("nonce", "\"n\"").set("scp", "\"read\""));
}

}  // namespace
}  // namespace portail::contract
