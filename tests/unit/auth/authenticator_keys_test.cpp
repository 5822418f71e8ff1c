// docs/contract.md, "Tokens: no usable key set"; and a token whose key is not known yet.
#include <gtest/gtest.h>

#include "tests/unit/auth/authenticating.hpp"

namespace portail {
namespace {

constexpr const char* unknown = "The token's key (kid) is not known here";

using AuthenticatorKeys = Authenticating;

TEST_F(AuthenticatorKeys, WithoutKeysNothingIsSaidOfTheToken) {
  for (const SharedKeySet& none : {SharedKeySet(), std::make_shared<const KeySet>()}) {
    keys.now = none;
    const auto refused = run_ready(start(token));
    EXPECT_EQ(refused.value().error().kind, AuthenticationFault::Kind::no_keys);
    EXPECT_EQ(keys.asked, 0);
  }
}

TEST_F(AuthenticatorKeys, AnUnknownKeyIsLookedForInANewerSet) {
  keys.now = shared_keys({ed25519_jwk});
  keys.later = shared_keys({ed25519_jwk, other_ed25519_jwk});
  EXPECT_EQ(ask(token), "accepted sub-client-1");
  EXPECT_EQ(keys.asked, 0);
  EXPECT_EQ(ask(other_token), "accepted other");
  EXPECT_EQ(keys.asked, 1);
  EXPECT_EQ(ask(other_token), "accepted other");
  EXPECT_EQ(keys.asked, 1);
}

TEST_F(AuthenticatorKeys, AKeyThatTheNewerSetLacksTooIsRefused) {
  keys.now = keys.later = shared_keys({ed25519_jwk});
  EXPECT_EQ(ask(other_token), unknown);
  keys.later = shared_keys({hmac_jwk});
  EXPECT_EQ(ask(other_token), unknown);
  keys.now = shared_keys({ed25519_jwk});
  keys.later = nullptr;
  EXPECT_EQ(ask(other_token), unknown);
  EXPECT_EQ(keys.asked, 3);
}

TEST_F(AuthenticatorKeys, OnlyAnUnknownKeyIsWorthAsking) {
  keys.now = shared_keys({ed25519_jwk});
  const SigningKey key = signing_key(other_ed25519_jwk);
  for (const std::string& refused :
       {std::string("a.b.c"), std::string("x"), token + "A",
        make_token(signing_key(ed25519_jwk), sample_claims({{"exp", "1"}})),
        make_token(key, R"({"alg":"EdDSA"})", sample_claims()),
        make_token(key, R"({"alg":"none","kid":"ed-2"})", sample_claims()),
        make_token(key, R"({"alg":"EdDSA","kid":2})", sample_claims()),
        make_token(key, R"({"alg":"EdDSA","kid":"ed-1"})", sample_claims()),
        make_token(key, R"({"alg":"EdDSA","kid":"ed-2","crit":["b64"]})", sample_claims()),
        make_token(key, R"({"alg":"EdDSA","kid":"ed-2","typ":"dpop+jwt"})", sample_claims()), std::string(8001, 'a')}) {
    EXPECT_NE(ask(refused).substr(0, 8), "accepted") << refused;
    EXPECT_EQ(keys.asked, 0) << refused;
  }
}

TEST_F(AuthenticatorKeys, TheRequestMaySuspendWhileTheSourceIsAsked) {
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

TEST_F(AuthenticatorKeys, ARequestThatIsGivenUpMeanwhileHasNoVerdict) {
  keys.fails = true;
  keys.now = shared_keys({ed25519_jwk});
  EXPECT_EQ(ask(other_token), "given up");
}

}  // namespace
}  // namespace portail
