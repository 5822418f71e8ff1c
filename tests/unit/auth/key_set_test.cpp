// docs/reference/contract.md, "Tokens: keys refused".
#include "core/auth/key_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/auth/algorithms.hpp"
#include "core/auth/key_generator.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

// Returns describe() of the only key of the set, which must be refused.
std::string refusal_of(std::string_view jwk) {
  const LoadedKeySet loaded = load_keys({jwk});
  EXPECT_TRUE(loaded.keys.empty());
  EXPECT_EQ(loaded.refusals.size(), 1U);
  return loaded.refusals.empty() ? "" : describe(loaded.refusals.front());
}

std::string okp(std::string_view x) { return R"({"kty":"OKP","crv":"Ed25519","x":")" + std::string(x) + "\"}"; }

// An odd modulus of that many digits, which begins with that one.
std::string rsa(std::size_t modulus_digits, char first, std::string_view exponent = "AQAB") {
  return R"({"kty":"RSA","e":")" + std::string(exponent) + R"(","n":")" + first + std::string(modulus_digits - 2, 'A') +
         (modulus_digits % 4 == 0   ? 'B'
          : modulus_digits % 4 == 3 ? 'E'
                                    : 'Q') +
         "\"}";
}

std::string ec(std::string_view x, std::string_view y, std::string_view crv = "P-256") {
  return R"({"kty":"EC","crv":")" + std::string(crv) + R"(","x":")" + std::string(x) + R"(","y":")" + std::string(y) +
         "\"}";
}

constexpr std::string_view coordinate = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

TEST(KeySet, FindsKeysByKid) {
  const LoadedKeySet loaded = load_keys({ed25519_jwk, hmac_jwk});
  EXPECT_TRUE(loaded.refusals.empty());
  EXPECT_EQ(loaded.keys.size(), 2U);
  ASSERT_NE(loaded.keys.find("ed-1"), nullptr);
  EXPECT_EQ(loaded.keys.find("ed-1")->kid, "ed-1");
  EXPECT_EQ(loaded.keys.find("ED-1"), nullptr);
  EXPECT_EQ(loaded.keys.find(""), nullptr);
}

TEST(KeySet, GivesAKeyWithoutAlgTheDefaultOfItsType) {
  const LoadedKeySet loaded = load_keys({ed25519_jwk, hmac_jwk, ec_jwk, rsa_jwk});
  ASSERT_EQ(loaded.keys.size(), 4U);
  EXPECT_EQ(loaded.keys.find("ed-1")->algorithm->name, "EdDSA");
  EXPECT_EQ(loaded.keys.find("hmac-1")->algorithm->name, "HS256");
  EXPECT_EQ(loaded.keys.find("ec-1")->algorithm->name, "ES256");
  EXPECT_EQ(loaded.keys.find("rsa-1")->algorithm->name, "RS256");
}

TEST(KeySet, GivesAnRsaKeyTheOneAlgorithmThatItNames) {
  const auto with = [](std::string_view alg) {
    return R"({"alg":")" + std::string(alg) + "\"," + std::string(rsa_jwk.substr(1));
  };
  EXPECT_EQ(load_keys({with("PS256")}).keys.find("rsa-1")->algorithm->name, "PS256");
  EXPECT_EQ(load_keys({with("RS256")}).keys.find("rsa-1")->algorithm->name, "RS256");
  for (std::string_view alg : {"RS384", "PS512", "RSA-OAEP", "none"}) {
    EXPECT_EQ(refusal_of(with(alg)), "keys[0] \"rsa-1\": its alg " + std::string(alg) +
                                         " is not supported; tokens need EdDSA, ES256, RS256, PS256 or HS256");
  }
  for (std::string_view alg : {"ES256", "HS256", "EdDSA"}) {
    EXPECT_EQ(refusal_of(with(alg)), "keys[0] \"rsa-1\": its alg does not fit its kty") << alg;
  }
}

TEST(KeySet, FindsTheOnlyKeyOfAnAlgorithm) {
  const LoadedKeySet one_each = load_keys({ed25519_jwk, hmac_jwk});
  ASSERT_NE(one_each.keys.find_only(*algorithm_named("HS256")), nullptr);
  EXPECT_EQ(one_each.keys.find_only(*algorithm_named("HS256"))->kid, "hmac-1");
  EXPECT_EQ(one_each.keys.find_only(*algorithm_named("ES256")), nullptr);
  const LoadedKeySet two = load_keys({ed25519_jwk, other_ed25519_jwk});
  EXPECT_EQ(two.keys.find_only(*algorithm_named("EdDSA")), nullptr);
}

TEST(KeySet, IsEmptyWhereAllKeysAreRefused) {
  EXPECT_TRUE(load_keys({R"({"kty":"oct","k":"AA"})", "7"}).keys.empty());
  EXPECT_TRUE(load_keys({}).keys.empty());
}

TEST(KeySet, ReportsTextThatIsNoKeySet) {
  const auto error = [](std::string_view json) { return load_key_set(json).error(); };
  constexpr std::string_view no_array =
      R"(not a JWK set: it has no "keys" array; a single key is written {"keys":[KEY]})";
  EXPECT_EQ(error("{"), "not a JWK set: malformed JSON");
  EXPECT_EQ(error(""), "not a JWK set: no JSON value");
  EXPECT_EQ(error("[]"), no_array);
  EXPECT_EQ(error(ed25519_jwk), no_array);
  EXPECT_EQ(error(R"({"keys":{}})"), no_array);
  EXPECT_EQ(error(R"({"keys":[],"\u006beys":[]})"), "not a JWK set: a JSON object with the same name twice");
}

TEST(KeySet, UsesTheGoodKeysOfASetWithBadOnes) {
  const LoadedKeySet loaded = load_keys({R"({"kty":"oct","kid":"short","k":"AA"})", ed25519_jwk});
  EXPECT_EQ(loaded.keys.size(), 1U);
  ASSERT_EQ(loaded.refusals.size(), 1U);
  EXPECT_EQ(describe(loaded.refusals[0]), "keys[0] \"short\": its secret is shorter than 32 bytes");
}

TEST(KeySet, RefusesAKeyAloneThatIsNoJson) {
  const std::string kid = R"({"kty":"oct","kid":")";
  const std::string depths[] = {std::string(61, '[') + std::string(61, ']'),
                                std::string(62, '[') + std::string(62, ']')};
  const std::pair<std::string, std::string> faults[] = {
      {R"({"kty":"EC","x":1e400})", "a malformed JSON number, or one out of range"},
      {R"({"kty":"EC","x":-1.5E999})", "a malformed JSON number, or one out of range"},
      {kid + R"(\ud800"})", "a JSON string with a raw control character, a bad escape or a lone surrogate"},
      {kid + "\n\"}", "a JSON string with a raw control character, a bad escape or a lone surrogate"},
      {kid + "\xff\"}", "not valid UTF-8"},
      {R"({"x5c":)" + depths[1] + "}", "JSON nested too deeply"},
  };
  for (const auto& [key, text] : faults) {
    const auto loaded = load_key_set(R"({"keys":[)" + key + ',' + std::string(ed25519_jwk) + ',' + key + "]}");
    ASSERT_TRUE(loaded.has_value()) << key;
    EXPECT_NE(loaded->keys.find("ed-1"), nullptr) << key;
    ASSERT_EQ(loaded->refusals.size(), 2U) << key;
    EXPECT_EQ(describe(loaded->refusals[0]), "keys[0]: " + text);
    EXPECT_EQ(describe(loaded->refusals[1]), "keys[2]: " + text);
    EXPECT_EQ(verification_key_set(R"({"keys":[{"kty":"EC"},)" + key + "]}").error(), "keys[1]: " + text);
  }
  EXPECT_EQ(load_key_set(R"({"keys":[{"kty":"oct","x5c":)" + depths[0] + "}]}")->refusals[0].text,
            "its k is not base64url");
  const std::string odd = R"({"kty":"EC","x":1e400})";
  for (std::string_view rest : {",,7]}", ",]}", "", "]} 7", R"(],"keys":[]})"}) {
    EXPECT_FALSE(load_key_set(R"({"keys":[)" + odd + std::string(rest)).has_value()) << rest;
  }
  EXPECT_FALSE(load_key_set(R"({"keys":[{"x":1e400)").has_value());
}

TEST(KeySet, RefusesElementsAloneThatAreNoKeys) {
  for (std::string_view element : {"null", "7", R"("x")", "[]", "true"}) {
    const auto loaded = load_key_set(R"({"keys":[)" + std::string(element) + ',' + std::string(ed25519_jwk) + "]}");
    ASSERT_TRUE(loaded.has_value()) << element;
    EXPECT_EQ(loaded->keys.size(), 1U) << element;
    ASSERT_EQ(loaded->refusals.size(), 1U) << element;
    EXPECT_EQ(describe(loaded->refusals[0]), "keys[0]: it is not a JSON object");
  }
}

TEST(KeySet, NoticesPrivateMembersAndIgnoresThem) {
  const LoadedKeySet loaded = load_keys({hmac_jwk, ed25519_jwk});
  ASSERT_EQ(loaded.notices.size(), 1U);
  EXPECT_EQ(describe(loaded.notices[0]),
            "keys[1] \"ed-1\": it holds private members, which are ignored: publish public keys only");
  const LoadedKeySet refused = load_keys({R"({"kty":"OKP","crv":"X25519","kid":"a","d":"AA"})"});
  EXPECT_EQ(refused.refusals.size(), 1U);
  ASSERT_EQ(refused.notices.size(), 1U);  // a refused key may be as private
  EXPECT_EQ(refused.notices[0].kid, "a");
  // A wrong `d` changes nothing.
  EXPECT_EQ(load_keys({R"({"kty":"OKP","crv":"Ed25519","d":7,"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"})
                .keys.size(),
            1U);
}

// The same JWK with further members in front.
std::string with_members(std::string_view members, std::string_view jwk) {
  return "{" + std::string(members) + "," + std::string(jwk.substr(1));
}

TEST(KeySet, NoticesAPrivateMemberAfterAnEmptyOne) {
  EXPECT_EQ(load_keys({with_members(R"("d":null)", ed25519_jwk)}).notices.size(), 1U);
}

TEST(KeySet, UsesTheKeysOfOneKidThatVerify) {
  const std::string refused[] = {
      with_members(R"("use":"enc")", rsa_jwk),      with_members(R"("alg":"RS512")", rsa_jwk),
      with_members(R"("alg":"RSA-OAEP")", rsa_jwk), with_members(R"("key_ops":["encrypt"])", rsa_jwk),
      R"({"kty":"oct","kid":"rsa-1","k":"AA"})",    R"({"kty":"AKP","kid":"rsa-1","alg":"ML-DSA-44"})",
  };
  for (const std::string& other : refused) {
    for (const LoadedKeySet& loaded : {load_keys({rsa_jwk, other}), load_keys({other, rsa_jwk})}) {
      ASSERT_EQ(loaded.keys.size(), 1U) << other;
      EXPECT_EQ(loaded.keys.find("rsa-1")->algorithm->name, "RS256") << other;
      ASSERT_EQ(loaded.refusals.size(), 1U) << other;
      EXPECT_EQ(loaded.refusals[0].kid, "rsa-1");
    }
  }
}

TEST(KeySet, FindsKeysByKidAndAlgorithm) {
  const std::string secret = R"({"kty":"oct","kid":"rsa-1","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})";
  const LoadedKeySet loaded = load_keys({rsa_jwk, with_members(R"("alg":"PS256")", rsa_jwk), secret, ec_jwk});
  EXPECT_TRUE(loaded.refusals.empty());
  EXPECT_EQ(loaded.keys.size(), 4U);
  for (std::string_view name : {"RS256", "PS256", "HS256"}) {
    const VerificationKey* key = loaded.keys.find("rsa-1", algorithm_named(name));
    ASSERT_NE(key, nullptr) << name;
    EXPECT_EQ(key->algorithm->name, name);
  }
  EXPECT_EQ(loaded.keys.find("rsa-1", algorithm_named("ES256")), nullptr);
  EXPECT_EQ(loaded.keys.find("", algorithm_named("RS256")), nullptr);
}

TEST(KeySet, TakesNullAndEmptyMembersAsAbsent) {
  for (std::string_view name : {"alg", "use", "key_ops", "d", "oth", "x5c", "x5t", "x5u", "ext"}) {
    for (std::string_view value : {"null", R"("")", "[]", "{}"}) {
      const std::string members = '"' + std::string(name) + "\":" + std::string(value);
      const std::string jwk = with_members(
          members, R"({"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})");
      const LoadedKeySet loaded = load_keys({jwk});
      EXPECT_EQ(loaded.keys.size(), 1U) << jwk;
      EXPECT_TRUE(loaded.notices.empty()) << jwk;
    }
  }
  for (std::string_view kid : {"null", R"("")", "[]", "{}"}) {
    const LoadedKeySet loaded = load_keys(
        {R"({"kty":"oct","kid":)" + std::string(kid) + R"(,"k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})"});
    ASSERT_EQ(loaded.keys.size(), 1U) << kid;
    EXPECT_EQ(loaded.keys.keys()[0].kid, "");
  }
  EXPECT_EQ(refusal_of(R"({"kty":null})"), "keys[0]: its kty is not OKP, oct, RSA or EC");
}

TEST(KeySet, IgnoresAMemberOf309Digits) {
  const LoadedKeySet loaded = load_keys({with_members(R"("x":)" + std::string(309, '9'), rsa_jwk)});
  EXPECT_EQ(loaded.keys.size(), 1U);
  EXPECT_TRUE(loaded.refusals.empty());
}

TEST(KeySet, RefusesAKeyWithANameTwiceAlone) {
  const LoadedKeySet loaded = load_keys({R"({"kty":"OKP","kid":"twice","use":"enc","\u0075se":"sig"})", ed25519_jwk,
                                         R"({"kty":"oct","kid":"twice","k":"AA","k":"AAAA"})"});
  EXPECT_EQ(loaded.keys.size(), 1U);
  ASSERT_EQ(loaded.refusals.size(), 2U);
  EXPECT_EQ(describe(loaded.refusals[0]), "keys[0] \"twice\": it has two members use");
  EXPECT_EQ(describe(loaded.refusals[1]), "keys[2] \"twice\": it has two members k");
}

TEST(KeySet, RefusesInvalidKeys) {
  EXPECT_EQ(refusal_of("7"), "keys[0]: it is not a JSON object");
  EXPECT_EQ(refusal_of("{}"), "keys[0]: its kty is not OKP, oct, RSA or EC");
  EXPECT_EQ(refusal_of(R"({"kty":"okp"})"), "keys[0]: its kty is not OKP, oct, RSA or EC");
  EXPECT_EQ(refusal_of(R"({"kty":"oct","kid":1})"), "keys[0]: its kid is not a string");
}

TEST(KeySet, RefusesOtherPurposes) {
  const auto with = [](std::string_view members) {
    return R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",)" + std::string(members) +
           "}";
  };
  EXPECT_EQ(refusal_of(with(R"("use":"enc")")), "keys[0]: its use is not sig");
  EXPECT_EQ(refusal_of(with(R"("use":["sig"])")), "keys[0]: its use is not sig");
  EXPECT_EQ(refusal_of(with(R"("key_ops":["sign"])")), "keys[0]: its key_ops lack verify");
  EXPECT_EQ(refusal_of(with(R"("key_ops":[null])")), "keys[0]: its key_ops lack verify");
  EXPECT_EQ(refusal_of(with(R"("key_ops":"verify")")), "keys[0]: its key_ops lack verify");
  EXPECT_EQ(load_keys({with(R"("use":"sig","key_ops":["sign","verify"])")}).keys.size(), 1U);
}

TEST(KeySet, RefusesAnAlgThatDoesNotFitTheKeyType) {
  const auto with = [](std::string_view alg) {
    return R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","alg":)" +
           std::string(alg) + "}";
  };
  for (std::string_view alg : {R"("HS256")", R"("ES256")", R"("RS256")"}) {
    EXPECT_EQ(refusal_of(with(alg)), "keys[0]: its alg does not fit its kty") << alg;
  }
  EXPECT_EQ(refusal_of(with("7")), "keys[0]: its alg is not a string");
  EXPECT_EQ(refusal_of(R"({"kty":"RSA","alg":"ES256"})"), "keys[0]: its alg does not fit its kty");
  EXPECT_EQ(refusal_of(R"({"kty":"EC","alg":"RS256"})"), "keys[0]: its alg does not fit its kty");
  for (std::string_view alg : {R"("EdDSA")", R"("Ed25519")"}) {
    const LoadedKeySet loaded = load_keys({with(alg)});
    ASSERT_EQ(loaded.keys.size(), 1U) << alg;
    EXPECT_EQ(loaded.keys.keys()[0].algorithm->name, "EdDSA");
  }
}

TEST(KeySet, NamesAnAlgThatIsNotSupported) {
  constexpr std::string_view remedy = " is not supported; tokens need EdDSA, ES256, RS256, PS256 or HS256";
  for (std::string_view jwk :
       {R"({"kty":"EC","crv":"P-384","alg":"ES384"})", R"({"kty":"EC","crv":"P-521","alg":"ES512"})",
        R"({"kty":"EC","crv":"secp256k1","alg":"ES256K"})", R"({"kty":"OKP","crv":"Ed448","alg":"Ed448"})",
        R"({"kty":"OKP","crv":"Ed25519","alg":"eddsa"})", R"({"kty":"OKP","crv":"X25519","alg":"ECDH-ES"})",
        R"({"kty":"oct","k":"AA","alg":"HS512"})", R"({"kty":"oct","k":"AA","alg":"none"})",
        R"({"kty":"RSA","alg":"RSA-OAEP-256"})"}) {
    const std::size_t name = jwk.rfind(':') + 2;
    EXPECT_EQ(refusal_of(jwk),
              "keys[0]: its alg " + std::string(jwk.substr(name, jwk.size() - 2 - name)) + std::string(remedy));
  }
  EXPECT_EQ(refusal_of(R"({"kty":"EC","alg":"ES384\n"})"), "keys[0]: its alg ES384?" + std::string(remedy));
  EXPECT_EQ(refusal_of(R"({"kty":"EC","alg":")" + std::string(100, 'x') + "\"}"),
            "keys[0]: its alg " + std::string(64, 'x') + std::string(remedy));
}

TEST(KeySet, NamesPem) {
  constexpr std::string_view pem = "not a JWK set: it is PEM, not JSON; convert it to a JWK set (RFC 7517)";
  for (std::string_view text :
       {"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n",
        "Bag Attributes\n    localKeyID: 01\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "\xef\xbb\xbf-----BEGIN RSA PRIVATE KEY-----\r\nMIIE\r\n", "\n-----BEGIN EC PARAMETERS-----\n"}) {
    EXPECT_EQ(load_key_set(text).error(), pem) << text;
    EXPECT_EQ(verification_key_set(text).error(), pem) << text;
    EXPECT_EQ(load_signing_key(text).error(),
              "not a private key: it is PEM, not JSON; convert it to a JWK set (RFC 7517)");
  }
  EXPECT_EQ(load_key_set(R"({"keys":[{"x":"-----BEGIN PUBLIC KEY-----"}]})")->refusals.size(), 1U);
  EXPECT_EQ(load_key_set(R"( {"keys":[{"x":"-----BEGIN PUBLIC KEY-----"},]})").error(),
            "not a JWK set: malformed JSON");
}

TEST(KeySet, RefusesOtherCurves) {
  EXPECT_EQ(refusal_of(R"({"kty":"OKP","crv":"X25519","x":"AA"})"),
            "keys[0]: its crv X25519 is not supported; tokens need Ed25519");
  EXPECT_EQ(refusal_of(R"({"kty":"OKP","x":"AA"})"), "keys[0]: its crv is missing; tokens need Ed25519");
  EXPECT_EQ(refusal_of(ec(coordinate, coordinate, "P-384")),
            "keys[0]: its crv P-384 is not supported; tokens need P-256");
  EXPECT_EQ(refusal_of(ec(coordinate, coordinate, "secp256k1")),
            "keys[0]: its crv secp256k1 is not supported; tokens need P-256");
}

TEST(KeySet, RefusesBadEd25519Points) {
  constexpr std::string_view length = "keys[0]: its x is not 32 bytes in base64url";
  constexpr std::string_view point = "keys[0]: its x is not canonical, not on the curve, or of low order";
  EXPECT_EQ(refusal_of(okp("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ")), length);    // 31 bytes
  EXPECT_EQ(refusal_of(okp("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB")), length);  // 33 bytes
  EXPECT_EQ(refusal_of(okp("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")), length);  // padding
  EXPECT_EQ(refusal_of(okp("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp")), length);   // spare bits
  EXPECT_EQ(refusal_of(R"({"kty":"OKP","crv":"Ed25519"})"), length);
  EXPECT_EQ(refusal_of(okp("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), point);  // the neutral element
  EXPECT_EQ(refusal_of(okp("AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), point);  // off the curve
  EXPECT_EQ(refusal_of(okp("8P_______________________________________38")), point);  // y = p + 3
}

TEST(KeySet, RefusesShortSecrets) {
  EXPECT_EQ(refusal_of(R"({"kty":"oct","k":"EREREREREREREREREREREREREREREREREREREREREQ"})"),
            "keys[0]: its secret is shorter than 32 bytes");
  EXPECT_EQ(refusal_of(R"({"kty":"oct","k":"not base64url"})"), "keys[0]: its k is not base64url");
  EXPECT_EQ(refusal_of(R"({"kty":"oct"})"), "keys[0]: its k is not base64url");
  EXPECT_EQ(load_keys({R"({"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})"}).keys.size(), 1U);
}

// 2048 bits are 256 bytes, or 342 digits of which the last holds four spare bits.
TEST(KeySet, RefusesRsaKeysOfTheWrongSize) {
  EXPECT_EQ(refusal_of(rsa(342, 'f')), "keys[0]: its modulus is under 2048 bits");  // 2047 bits
  EXPECT_EQ(load_keys({rsa(342, 'g')}).keys.size(), 1U);                            // 2048 bits
  EXPECT_EQ(load_keys({rsa(683, 'g')}).keys.size(), 1U);                            // 4096 bits
  EXPECT_EQ(refusal_of(rsa(684, 'B')), "keys[0]: its modulus is over 4096 bits");   // 4099 bits
  EXPECT_EQ(refusal_of(R"({"kty":"RSA","e":"AQAB","n":""})"), "keys[0]: its modulus is under 2048 bits");
}

TEST(KeySet, RefusesBadRsaNumbers) {
  constexpr std::string_view form = "keys[0]: its n or e is not base64url, or begins with a zero byte";
  EXPECT_EQ(refusal_of(R"({"kty":"RSA","e":"AQAB"})"), form);
  EXPECT_EQ(refusal_of(R"({"kty":"RSA","e":"AQAB","n":7})"), form);
  EXPECT_EQ(refusal_of(rsa(342, 'g', "AQAB=")), form);
  EXPECT_EQ(refusal_of(rsa(344, 'A')), form);
  EXPECT_EQ(refusal_of(rsa(342, 'g', "AAM")), form);
  EXPECT_EQ(refusal_of(rsa(342, 'g', "AA")), form);
  EXPECT_EQ(refusal_of(R"({"kty":"RSA","e":"AQAB","n":"g)" + std::string(341, 'A') + "\"}"),
            "keys[0]: its modulus is even");
}

TEST(KeySet, RefusesBadRsaExponents) {
  EXPECT_EQ(refusal_of(rsa(342, 'g', "AQ")), "keys[0]: its exponent is below 3");  // 1
  EXPECT_EQ(refusal_of(rsa(342, 'g', "")), "keys[0]: its exponent is below 3");
  EXPECT_EQ(refusal_of(rsa(342, 'g', "AQAA")), "keys[0]: its exponent is even");  // 65536
  EXPECT_EQ(refusal_of(rsa(342, 'g', "Ag")), "keys[0]: its exponent is even");    // 2
  EXPECT_EQ(load_keys({rsa(342, 'g', "Aw")}).keys.size(), 1U);                    // 3
}

TEST(KeySet, RefusesBadPointsOfP256) {
  constexpr std::string_view prime = "_____wAAAAEAAAAAAAAAAAAAAAD_______________8";
  constexpr std::string_view zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  constexpr std::string_view root_of_b = "ZkhceA4vg9ckM71dhKBrtlQcKvMdrocXKL-FahdPk_Q";
  constexpr std::string_view length = "keys[0]: its x or y is not 32 bytes in base64url";
  constexpr std::string_view off = "keys[0]: its x or y is not canonical, or the point is off the curve";
  EXPECT_EQ(refusal_of(ec("AQ", root_of_b)), length);
  EXPECT_EQ(refusal_of(ec(zero, "AQ")), length);
  EXPECT_EQ(refusal_of(ec("AA" + std::string(zero), root_of_b)), length);
  EXPECT_EQ(refusal_of(R"({"kty":"EC","crv":"P-256"})"), length);
  EXPECT_EQ(load_keys({ec(zero, root_of_b)}).keys.size(), 1U);
  EXPECT_EQ(refusal_of(ec(prime, root_of_b)), off);
  EXPECT_EQ(refusal_of(ec(zero, zero)), off);
  EXPECT_EQ(refusal_of(ec(coordinate, coordinate)), off);
}

TEST(KeySet, DescribesAKeyOnOneLine) {
  EXPECT_EQ(describe({.index = 3, .kid = "", .text = "why"}), "keys[3]: why");
  EXPECT_EQ(describe({.index = 0, .kid = "é\n\x7f", .text = "why"}), "keys[0] \"é??\": why");
}

}  // namespace
}  // namespace portail
