// docs/reference/contract.md, "Tokens: no usable key set"; and tokens with an unknown key.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/auth/base64url.hpp"
#include "tests/unit/auth/authenticating.hpp"

namespace portail {
namespace {

constexpr const char* unknown = "The token's key (kid) is not known here";

using AuthenticatorKeys = Authenticating;

TEST_F(AuthenticatorKeys, WithoutKeysAValidTokenIsUnavailable) {
  for (const SharedKeySet& none : {SharedKeySet(), std::make_shared<const KeySet>()}) {
    keys.now = none;
    const auto refused = run_ready(start(token));
    EXPECT_EQ(refused.value().error().kind, AuthenticationFault::Kind::no_keys);
    EXPECT_EQ(keys.refresh_count, 0);
  }
}

// Tokens that no key can verify get 401, with and without keys.
TEST_F(AuthenticatorKeys, WithoutKeysAMalformedTokenIsRefused) {
  const std::string header = base64url_encode(R"({"alg":"EdDSA","kid":"ed-1"})");
  const std::string claims = base64url_encode(std::string_view("{}"));
  const auto with_header = [&](std::string_view json) { return base64url_encode(json) + "." + claims + ".AA"; };
  const std::vector<std::string> garbage{
      "",
      "x",
      "..",
      "a.b",
      "a.b.c",
      "a.b.c.d",
      std::string(8001, 'a'),
      header + "." + claims,
      header + "." + claims + ".",
      header + "." + claims + ".A",
      header + "." + claims + ".A=",
      header + "." + claims + ".A+",
      header + "." + claims + ".AB",
      header + "." + claims + ". AA",
      header + "." + claims + "." + std::string(1000, 'A'),
      header + "..AA",
      header + ".e30=.AA",
      header + "." + base64url_encode(std::string_view("[]")) + ".AA",
      header + "." + base64url_encode(std::string_view("garbage")) + ".AA",
      header + "." + base64url_encode(R"({"sub":"a","sub":"b"})") + ".AA",
      header + "." + base64url_encode(std::string_view("{}{}")) + ".AA",
      "." + claims + ".AA",
      "e30=." + claims + ".AA",
      with_header("garbage"),
      with_header("[]"),
      with_header("{}"),
      with_header("{"),
      with_header(R"({"alg":"none"})"),
      with_header(R"({"alg":"RS512"})"),
      with_header(R"({"alg":1})"),
      with_header(R"({"alg":"EdDSA","alg":"EdDSA"})"),
      with_header(R"({"alg":"EdDSA","kid":1})"),
      with_header(R"({"alg":"EdDSA","crit":["exp"]})"),
      with_header(R"({"alg":"EdDSA","typ":"dpop+jwt"})"),
      with_header("{\"alg\":\"EdDSA\",\"kid\":\"\xff\"}"),
  };
  for (const std::string& sent : garbage) {
    keys.now = nullptr;
    const auto refused = run_ready(start(sent));
    ASSERT_FALSE(refused.value().has_value()) << sent;
    EXPECT_EQ(refused.value().error().kind, AuthenticationFault::Kind::bad_token) << sent;
    keys.now = keys.later = shared_keys({ed25519_jwk});
    const auto with_keys = run_ready(start(sent));
    EXPECT_EQ(with_keys.value().error().kind, AuthenticationFault::Kind::bad_token) << sent;
  }
  EXPECT_EQ(keys.refresh_count, 0);
}

TEST_F(AuthenticatorKeys, WithoutKeysAWellFormedTokenIsNotRefused) {
  keys.now = nullptr;
  const std::string claims = base64url_encode(std::string_view("{}"));
  for (const std::string_view header :
       {R"({"alg":"EdDSA"})", R"({"alg":"RS256","kid":"any"})", R"({"alg":"HS256","typ":"JWT"})",
        R"({"alg":"ES256","typ":"at+jwt","jku":"https://elsewhere.test"})", R"({"alg":"PS256"})"}) {
    const std::string sent = base64url_encode(header) + "." + claims + ".AA";
    EXPECT_EQ(run_ready(start(sent)).value().error().kind, AuthenticationFault::Kind::no_keys) << header;
  }
  const std::string expired = sign_token(signing_key(ed25519_jwk), sample_claims({{"exp", "1"}}));
  EXPECT_EQ(run_ready(start(expired)).value().error().kind, AuthenticationFault::Kind::no_keys);
}

TEST_F(AuthenticatorKeys, AKidMayHaveSeveralKeys) {
  const auto with_kid = [](std::string_view jwk, std::string_view kid) {
    std::string text(jwk);
    return text.replace(text.find(kid), kid.size(), "one");
  };
  keys.now = keys.later = shared_keys({with_kid(ed25519_jwk, "ed-1"), with_kid(other_ed25519_jwk, "ed-2"),
                                       with_kid(hmac_jwk, "hmac-1"), with_kid(ec_jwk, "ec-1")});
  const auto token_of = [](SigningKey key) {
    key.kid = "one";
    return sign_token(key, sample_claims());
  };
  for (std::string_view jwk : {ed25519_jwk, other_ed25519_jwk, hmac_jwk, ec_jwk}) {
    EXPECT_EQ(verdict_on(token_of(signing_key(jwk))), "accepted sub-client-1") << jwk;
  }
  EXPECT_EQ(keys.refresh_count, 0);
  EXPECT_EQ(verdict_on(token_of(signing_key(rsa_jwk))), "The token's algorithm (alg) is not that of its key (kid)");
  EXPECT_EQ(keys.refresh_count, 1);
  const SigningKey stranger = signing_key(R"({"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})");
  EXPECT_EQ(verdict_on(token_of(stranger)), "The token's signature is not that of its key");
  // The public halves are no secrets.
  const std::string halves[] = {"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                                "_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"};
  for (const std::string& x : halves) {
    EXPECT_EQ(verdict_on(token_of(signing_key(R"({"kty":"oct","k":")" + x + "\"}"))),
              "The token's signature is not that of its key");
  }
  EXPECT_EQ(verdict_on(sign_token(signing_key(ed25519_jwk), R"({"alg":"EdDSA"})", sample_claims())),
            "The token names no key (kid), and not exactly one key fits its algorithm");
  EXPECT_EQ(keys.refresh_count, 1);

  keys.later = shared_keys({with_kid(ed25519_jwk, "ed-1"), with_kid(rsa_jwk, "rsa-1")});
  EXPECT_EQ(verdict_on(token_of(signing_key(rsa_jwk))), "accepted sub-client-1") << "a further key of the kid";
  EXPECT_EQ(keys.refresh_count, 2);
}

TEST_F(AuthenticatorKeys, AnUnknownKeyCausesARefresh) {
  keys.now = shared_keys({ed25519_jwk});
  keys.later = shared_keys({ed25519_jwk, other_ed25519_jwk});
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  EXPECT_EQ(keys.refresh_count, 0);
  EXPECT_EQ(verdict_on(other_token), "accepted other");
  EXPECT_EQ(keys.refresh_count, 1);
  EXPECT_EQ(verdict_on(other_token), "accepted other");
  EXPECT_EQ(keys.refresh_count, 1);
}

TEST_F(AuthenticatorKeys, AKeyThatTheNewerSetLacksIsRefused) {
  keys.now = keys.later = shared_keys({ed25519_jwk});
  EXPECT_EQ(verdict_on(other_token), unknown);
  keys.later = shared_keys({hmac_jwk});
  EXPECT_EQ(verdict_on(other_token), unknown);
  keys.now = shared_keys({ed25519_jwk});
  keys.later = nullptr;
  EXPECT_EQ(verdict_on(other_token), unknown);
  EXPECT_EQ(keys.refresh_count, 3);
}

TEST_F(AuthenticatorKeys, OnlyAnUnknownKeyCausesARefresh) {
  keys.now = shared_keys({ed25519_jwk});
  const SigningKey key = signing_key(other_ed25519_jwk);
  for (const std::string& refused :
       {std::string("a.b.c"), std::string("x"), token + "A",
        sign_token(signing_key(ed25519_jwk), sample_claims({{"exp", "1"}})),
        sign_token(key, R"({"alg":"EdDSA"})", sample_claims()),
        sign_token(key, R"({"alg":"none","kid":"ed-2"})", sample_claims()),
        sign_token(key, R"({"alg":"EdDSA","kid":2})", sample_claims()),
        sign_token(key, R"({"alg":"EdDSA","kid":"ed-1"})", sample_claims()),
        sign_token(key, R"({"alg":"EdDSA","kid":"ed-2","crit":["b64"]})", sample_claims()),
        sign_token(key, R"({"alg":"EdDSA","kid":"ed-2","typ":"dpop+jwt"})", sample_claims()), std::string(8001, 'a')}) {
    EXPECT_NE(verdict_on(refused).substr(0, 8), "accepted") << refused;
    EXPECT_EQ(keys.refresh_count, 0) << refused;
  }
}

TEST_F(AuthenticatorKeys, TheRequestMaySuspendDuringTheRefresh) {
  keys.suspends = true;
  keys.now = shared_keys({ed25519_jwk});
  keys.later = shared_keys({other_ed25519_jwk});
  Task<Authentication> task = start(other_token);
  task.start([](void*) {}, nullptr);
  EXPECT_FALSE(task.done());
  keys.answer();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(verdict(task.result()), "accepted other");
}

TEST_F(AuthenticatorKeys, ACancelledRequestHasNoVerdict) {
  keys.fails = true;
  keys.now = shared_keys({ed25519_jwk});
  EXPECT_EQ(verdict_on(other_token), "cancelled");
}

}  // namespace
}  // namespace portail
