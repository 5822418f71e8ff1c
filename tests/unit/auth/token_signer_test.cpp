#include "core/auth/token_signer.hpp"

#include <gtest/gtest.h>

#include "core/auth/base64url.hpp"
#include "core/auth/key_generator.hpp"
#include "core/auth/token.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

// Fills with 1, 2, 3, …
class CountingBytes final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = std::byte{++last_};
  }

 private:
  unsigned char last_ = 0;
};

std::string set_of(std::string_view jwk) { return R"({"keys":[)" + std::string(jwk) + "]}"; }

TEST(TokenSigner, WritesAHeaderWithTheKey) {
  const std::string token = sign_token(signing_key(ed25519_jwk), "{}");
  EXPECT_EQ(base64url_decode(token.substr(0, token.find('.'))), R"({"alg":"EdDSA","kid":"ed-1","typ":"at+jwt"})");
  SigningKey nameless = signing_key(hmac_jwk);
  nameless.kid.clear();
  const std::string other = sign_token(nameless, "{}");
  EXPECT_EQ(base64url_decode(other.substr(0, other.find('.'))), R"({"alg":"HS256","typ":"at+jwt"})");
}

TEST(TokenSigner, LoadsTheRequestedKey) {
  const std::string set = R"({"keys":[{"kty":"RSA"},)" + std::string(hmac_jwk) + "," + std::string(ed25519_jwk) + "," +
                          std::string(ec_jwk) + "," + std::string(rsa_jwk) + "]}";
  EXPECT_EQ(load_signing_key(set)->kid, "hmac-1");
  EXPECT_EQ(load_signing_key(set)->algorithm->name, "HS256");
  EXPECT_EQ(load_signing_key(set, "ed-1")->kid, "ed-1");
  EXPECT_EQ(load_signing_key(set, "ed-1")->algorithm->name, "EdDSA");
  EXPECT_EQ(load_signing_key(set, "ec-1")->algorithm->name, "ES256");
  EXPECT_EQ(load_signing_key(set, "rsa-1")->algorithm->name, "RS256");
}

TEST(TokenSigner, ReportsWhyAKeyCannotSign) {
  const auto error = [](std::string_view json, std::string_view kid = {}) {
    return load_signing_key(json, kid).error();
  };
  EXPECT_EQ(error("{"), "not a private key: malformed JSON");
  EXPECT_EQ(error("[]"), "not a private key: not a JSON object");
  EXPECT_EQ(error(R"({"keys":[]})"), "no key that can sign: the set is empty");
  EXPECT_EQ(error(ed25519_jwk, "other"), "no key that can sign: no key has this id");
  EXPECT_EQ(error(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"),
            "no key that can sign: it has no private member d");
  EXPECT_EQ(error(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"})"),
            "no key that can sign: its d is not 32 bytes in base64url");
  EXPECT_EQ(error(R"({"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",)"
                  R"("x":"_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"})"),
            "no key that can sign: its private members do not match its public members");
}

TEST(TokenSigner, ReportsWhyAKeyOfTwoNumbersCannotSign) {
  const auto error = [](std::string_view json) { return load_signing_key(json).error(); };
  EXPECT_EQ(error(std::string(ec_jwk.substr(0, ec_jwk.find(",\"d\""))) + "}"),
            "no key that can sign: it has no private member d");
  EXPECT_EQ(error(std::string(ec_jwk.substr(0, ec_jwk.find("\"d\""))) +
                  R"("d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"})"),
            "no key that can sign: its private members do not match its public members");
  EXPECT_EQ(error(std::string(rsa_jwk.substr(0, rsa_jwk.find(",\"qi\""))) + "}"),
            "no key that can sign: it lacks one of the private members d, p, q, dp, dq, qi");
  EXPECT_EQ(error(std::string(rsa_jwk.substr(0, rsa_jwk.find(",\"qi\""))) + R"(,"qi":"AQ"})"),
            "no key that can sign: its private members do not match its public members");
}

TEST(KeyGenerator, GeneratesKeysFromTheRandomSource) {
  CountingBytes random;
  EXPECT_EQ(
      generate_private_jwk(*signing_algorithm_named("HS256"), "h\"1", random),
      R"({"kty":"oct","kid":"h\"1","alg":"HS256","use":"sig","k":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"})");
  CountingBytes again;
  EXPECT_EQ(generate_private_jwk(*signing_algorithm_named("EdDSA"), "e-1", again),
            R"({"kty":"OKP","kid":"e-1","alg":"EdDSA","use":"sig","crv":"Ed25519",)"
            R"("x":"ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ","d":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"})");
}

TEST(KeyGenerator, GeneratesKeysThatVerifyTheirSignatures) {
  SeededRandom random;
  for (const SigningAlgorithm& algorithm : signing_algorithms()) {
    const std::string jwk = generate_private_jwk(algorithm, "dev", random);
    const auto verifying = verification_key_set(set_of(jwk));
    ASSERT_TRUE(verifying.has_value()) << verifying.error();
    const auto loaded = load_key_set(*verifying);
    ASSERT_TRUE(loaded.has_value()) << loaded.error();
    EXPECT_TRUE(loaded->refusals.empty()) << algorithm.name;
    EXPECT_TRUE(loaded->notices.empty()) << algorithm.name;
    const SigningKey key = signing_key(jwk);
    EXPECT_EQ(key.algorithm, &algorithm);
    const auto claims = verify_token(sign_token(key, "{}"), loaded->keys);
    EXPECT_TRUE(claims.has_value()) << algorithm.name << ": " << text_of(claims.error());
  }
}

TEST(KeyGenerator, PublishesPublicMembersOnly) {
  EXPECT_EQ(
      verification_key_set(set_of(ed25519_jwk)),
      R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"ed-1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})");
  EXPECT_EQ(verification_key_set(R"({"kty":"RSA","n":"AQ","e":"Aw","d":"1","p":"2","q":"3","dp":"4","dq":"5","qi":"6",)"
                                 R"("oth":[],"k":"7","unknown":"8","key_ops":["sign"]})"),
            R"({"keys":[{"kty":"RSA","n":"AQ","e":"Aw"}]})");
}

TEST(KeyGenerator, IncludesTheSecretOfHs256) {
  EXPECT_EQ(verification_key_set(R"({"kty":"oct","k":"AA","d":"1"})"), R"({"keys":[{"kty":"oct","k":"AA"}]})");
}

TEST(KeyGenerator, RefusedKeysStayUnusable) {
  EXPECT_EQ(verification_key_set(R"({"kty":"oct","kid":7,"alg":["HS256"],"use":null,"k":"AA"})"),
            R"({"keys":[{"kty":"oct","kid":false,"alg":false,"k":"AA"}]})");
  for (const std::string operations : {R"(["encrypt"])", R"(["sign"])", "[7]", "7", R"("verify")"}) {
    EXPECT_EQ(verification_key_set(R"({"kty":"EC","key_ops":)" + operations + "}"),
              R"({"keys":[{"kty":"EC","key_ops":false}]})");
  }
  EXPECT_EQ(verification_key_set(R"({"kty":"EC","key_ops":["encrypt"],"d":"1"})"),
            R"({"keys":[{"kty":"EC","key_ops":false}]})");
  EXPECT_EQ(verification_key_set(R"({"kty":"oct","key_ops":["sign"],"d":"1","k":"AA"})"),
            R"({"keys":[{"kty":"oct","key_ops":false,"k":"AA"}]})");
  EXPECT_EQ(verification_key_set(R"({"kty":"EC","key_ops":[],"use":""})"), R"({"keys":[{"kty":"EC"}]})");
  EXPECT_EQ(verification_key_set(R"({"keys":[{"kty":"EC"},{"kty":"EC","kty":"EC"}]})").error(),
            "keys[1]: it has two members kty");
  EXPECT_EQ(verification_key_set(R"({"kty":"EC","key_ops":["sign","verify"]})"), R"({"keys":[{"kty":"EC"}]})");
}

TEST(KeyGenerator, ReportsTextThatIsNoKeySet) {
  EXPECT_EQ(verification_key_set("{").error(), "not a JWK set: malformed JSON");
  EXPECT_EQ(verification_key_set("7").error(), "not a JWK set: not a JSON object");
  EXPECT_EQ(verification_key_set("{}").error(),
            "not a JWK set: it has no \"keys\" array; a single key is written {\"keys\":[KEY]}");
  EXPECT_EQ(verification_key_set(R"({"keys":7})").error(),
            "not a JWK set: it has no \"keys\" array; a single key is written {\"keys\":[KEY]}");
}

}  // namespace
}  // namespace portail
