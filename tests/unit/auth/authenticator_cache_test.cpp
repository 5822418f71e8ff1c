// A cached token is not verified again, and has the same result as if it were.
#include <optional>

#include <gtest/gtest.h>

#include "tests/unit/auth/authenticating.hpp"

namespace portail {
namespace {

class CountingCache final : public TokenCache {
 public:
  CountingCache() : TokenCache(Hash32{}), tokens_(Hash32{}, 16) {}
  int hits = 0;
  int inserted = 0;
  int refused = 0;

  std::shared_ptr<const VerifiedToken> find(const Hash32& id) override {
    auto found = tokens_.find(id);
    hits += found ? 1 : 0;
    return found;
  }
  void insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override {
    ++inserted;
    tokens_.insert(id, std::move(token), now);
  }
  void erase(const Hash32& id) override { tokens_.erase(id); }
  std::optional<RefusedToken> find_refused(const Hash32& id) override { return tokens_.find_refused(id); }
  // Counts the tokens that were verified and refused independently of the time.
  void insert_refused(const Hash32& id, const RefusedToken& refused_token) override {
    ++refused;
    tokens_.insert_refused(id, refused_token);
  }

 private:
  BoundedTokenCache tokens_;
};

class AuthenticatorCache : public Authenticating {
 protected:
  AuthenticatorCache() {
    keys.now = keys.later = shared_keys({ed25519_jwk, hmac_jwk});
    test.context.token_cache = &cache;
  }
  CountingCache cache;
};

TEST_F(AuthenticatorCache, CachesTheCaller) {
  const auto first = run_ready(start(token)).value();
  EXPECT_EQ(cache.hits, 0);
  const auto second = run_ready(start(token)).value();
  EXPECT_EQ(cache.hits, 1);
  EXPECT_EQ(cache.inserted, 1);
  EXPECT_EQ(*first, *second) << "the caller is shared and not copied";
  EXPECT_EQ((*second)->subject, "sub-client-1");
}

TEST_F(AuthenticatorCache, CachesNoCallerForAFailure) {
  for (const std::string& bad :
       {token.substr(0, token.size() - 2) + "AA", sign_token(signing_key(ed25519_jwk), sample_claims({{"exp", "1"}})),
        sign_token(signing_key(ed25519_jwk), sample_claims({{"aud", R"("other")"}})), other_token}) {
    const std::string verdict = verdict_on(bad);
    EXPECT_NE(verdict.substr(0, 8), "accepted");
    EXPECT_EQ(verdict_on(bad), verdict);
  }
  EXPECT_EQ(cache.inserted, 0);
  EXPECT_EQ(cache.hits, 0);
}

constexpr std::string_view forged_verdict = "The token's signature is not that of its key";

TEST_F(AuthenticatorCache, VerifiesAForgedTokenOnce) {
  const std::string forged = token.substr(0, token.size() - 2) + "AA";
  for (int replay = 0; replay < 5; ++replay) EXPECT_EQ(verdict_on(forged), forged_verdict);
  EXPECT_EQ(cache.refused, 1);
  EXPECT_EQ(verdict_on(token.substr(0, token.size() - 4) + "AAAA"), forged_verdict);
  EXPECT_EQ(cache.refused, 2) << "another token";
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
}

TEST_F(AuthenticatorCache, AnswersARefusedTokenFromTheCache) {
  cache.insert_refused(cache.id_of(token), {.reason = Reason::no_subject, .keys = keys.now});
  EXPECT_EQ(verdict_on(token), "The token has no subject");
}

TEST_F(AuthenticatorCache, AnotherKeySetMayAcceptARefusedToken) {
  const SharedKeySet set = keys.now;
  std::string impostor(other_ed25519_jwk);
  impostor.replace(impostor.find("ed-2"), 4, "ed-1");
  keys.now = shared_keys({impostor});
  EXPECT_EQ(verdict_on(token), forged_verdict);
  EXPECT_EQ(verdict_on(token), forged_verdict);
  EXPECT_EQ(cache.refused, 1);
  keys.now = set;
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
}

TEST_F(AuthenticatorCache, CachesNoRefusalThatDependsOnTime) {
  const std::string later =
      sign_token(signing_key(ed25519_jwk), sample_claims({{"nbf", "1700000600"}, {"exp", "1700000900"}}));
  const std::string ended = sign_token(signing_key(ed25519_jwk), sample_claims({{"exp", "1699990000"}}));
  EXPECT_EQ(verdict_on(later), "The token is not valid yet (nbf)");
  EXPECT_EQ(verdict_on(ended), "The token has expired");
  EXPECT_EQ(cache.refused, 0);
  test.clock.set({1'700'000'600'000'000});
  EXPECT_EQ(verdict_on(later), "accepted sub-client-1");
}

TEST_F(AuthenticatorCache, CachesNoRefusalThatARefreshMayChange) {
  EXPECT_EQ(verdict_on(other_token), "The token's key (kid) is not known here");
  EXPECT_EQ(verdict_on(other_token), "The token's key (kid) is not known here");
  EXPECT_EQ(cache.refused, 0);
  EXPECT_EQ(keys.refresh_count, 2);
  keys.later = shared_keys({other_ed25519_jwk});
  EXPECT_EQ(verdict_on(other_token), "accepted other");
}

TEST_F(AuthenticatorCache, DistinguishesTokens) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  std::string changed = token;
  changed.back() = changed.back() == 'A' ? 'Q' : 'A';  // still no spare bits
  EXPECT_NE(verdict_on(changed).substr(0, 8), "accepted");
  EXPECT_EQ(cache.hits, 0);
}

TEST_F(AuthenticatorCache, ChecksTheExpiryOnEveryHit) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  test.clock.set({1'700'000'359'999'999});
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  test.clock.set({1'700'000'360'000'000});
  EXPECT_EQ(verdict_on(token), "The token has expired");
  EXPECT_EQ(cache.hits, 2);
  test.clock.set(sample_now);
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  EXPECT_EQ(cache.hits, 2) << "an expired token is dropped";
  EXPECT_EQ(cache.inserted, 2);
}

TEST_F(AuthenticatorCache, ChecksTheStartOnEveryHit) {
  const std::string later = sign_token(signing_key(ed25519_jwk), sample_claims({{"nbf", "1700000060"}}));
  EXPECT_EQ(verdict_on(later), "accepted sub-client-1");
  test.clock.set({1'699'999'999'000'000});
  EXPECT_EQ(verdict_on(later), "The token is not valid yet (nbf)");
}

TEST_F(AuthenticatorCache, EvictsATokenWhoseKeyLeavesTheSet) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  keys.now = keys.later = shared_keys({hmac_jwk});
  EXPECT_EQ(verdict_on(token), "The token's key (kid) is not known here");
}

TEST_F(AuthenticatorCache, EvictsATokenWhoseKidNamesAnotherKey) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  std::string impostor(other_ed25519_jwk);
  impostor.replace(impostor.find("ed-2"), 4, "ed-1");
  keys.now = shared_keys({impostor});
  EXPECT_EQ(verdict_on(token), "The token's signature is not that of its key");
}

TEST_F(AuthenticatorCache, EvictsATokenWithoutKidIfItsKeyIsAmbiguous) {
  const std::string nameless = sign_token(signing_key(ed25519_jwk), R"({"alg":"EdDSA"})", sample_claims());
  EXPECT_EQ(verdict_on(nameless), "accepted sub-client-1");
  keys.now = shared_keys({ed25519_jwk, other_ed25519_jwk});
  EXPECT_EQ(verdict_on(nameless), "The token names no key (kid), and not exactly one key fits its algorithm");
}

TEST_F(AuthenticatorCache, VerifiesAgainWithANewSet) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  keys.now = shared_keys({ed25519_jwk, other_ed25519_jwk});
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  EXPECT_EQ(cache.inserted, 2);
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  EXPECT_EQ(cache.inserted, 2);
}

TEST_F(AuthenticatorCache, WithoutKeysACachedTokenIsNotAccepted) {
  EXPECT_EQ(verdict_on(token), "accepted sub-client-1");
  keys.now = nullptr;
  EXPECT_EQ(verdict_on(token), "No key set can be used");
}

TEST_F(AuthenticatorCache, CachesATokenThatARefreshMadeValid) {
  keys.later = shared_keys({other_ed25519_jwk});
  EXPECT_EQ(verdict_on(other_token), "accepted other");
  EXPECT_EQ(verdict_on(other_token), "accepted other");
  EXPECT_EQ(cache.hits, 1);
  EXPECT_EQ(keys.refresh_count, 1);
}

}  // namespace
}  // namespace portail
