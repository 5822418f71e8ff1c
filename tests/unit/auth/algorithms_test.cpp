#include "core/auth/algorithms.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/auth/base64url.hpp"
#include "core/auth/key_generator.hpp"
#include "core/auth/key_set.hpp"
#include "core/auth/token_signer.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail {
namespace {

std::vector<std::string_view> names_of(const auto& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

TEST(Algorithms, AreTheFiveOfTheContractAndEachCanSign) {
  const std::vector<std::string_view> five{"EdDSA", "ES256", "RS256", "PS256", "HS256"};
  EXPECT_EQ(names_of(algorithms()), five);
  EXPECT_EQ(names_of(signing_algorithms()), five);
}

TEST(Algorithms, AreFoundByTheirExactName) {
  EXPECT_EQ(algorithm_named("PS256")->name, "PS256");
  EXPECT_EQ(algorithm_named("PS256")->kty, "RSA");
  EXPECT_EQ(signing_algorithm_named("PS256")->name, "PS256");
  EXPECT_EQ(algorithm_named("Ed25519"), algorithm_named("EdDSA"));
  for (const std::string_view name : {"none", "eddsa", "EdDSA ", "ed25519", "Ed448", "HS512", ""}) {
    EXPECT_EQ(algorithm_named(name), nullptr) << name;
    EXPECT_EQ(signing_algorithm_named(name), nullptr) << name;
  }
}

// A key of each algorithm and its signature: all other algorithms must reject both.
TEST(Algorithms, RefuseTheKeysAndSignaturesOfOthers) {
  SeededRandom random;
  for (const SigningAlgorithm& signing : signing_algorithms()) {
    const std::string jwk = generate_private_jwk(signing, "one", random);
    const auto key = load_signing_key(jwk);
    ASSERT_TRUE(key.has_value()) << key.error();
    const auto set = load_key_set(R"({"keys":[)" + jwk + "]}");
    ASSERT_TRUE(set.has_value()) << set.error();
    const VerificationKey* verifying = set->keys.find("one");
    ASSERT_NE(verifying, nullptr);
    const auto signature = base64url_decode(signing.sign(key->secret, "message"));
    ASSERT_TRUE(signature.has_value());
    const auto bytes = std::as_bytes(std::span(*signature));
    for (const Algorithm& algorithm : algorithms()) {
      EXPECT_EQ(algorithm.verify(verifying->material, "message", bytes), algorithm.name == signing.name)
          << algorithm.name << " of what " << signing.name << " signed";
      EXPECT_FALSE(algorithm.verify(verifying->material, "massage", bytes)) << algorithm.name;
    }
    for (const SigningAlgorithm& other : signing_algorithms()) {
      if (algorithm_named(other.name)->kty != algorithm_named(signing.name)->kty) {
        EXPECT_EQ(other.sign(key->secret, "message"), "") << other.name;
      }
    }
  }
}

}  // namespace
}  // namespace portail
