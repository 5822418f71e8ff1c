// docs/reference/contract.md, "Tokens": form, key choice, base64url, JSON.
#include "core/auth/token.hpp"

#include <gtest/gtest.h>

#include "core/auth/base64url.hpp"
#include "tests/unit/auth/samples.hpp"

namespace portail {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::string verify_with(const KeySet& keys, std::string_view token) {
  const auto claims = verify_token(token, keys);
  return claims ? "verified" : std::string(text_of(claims.error()));
}

// The verdict on a token of that header, signed by the key ed-1, of a set of that key and hmac-1.
std::string verdict(std::string_view header, std::string_view claims = "{}") {
  return verify_with(load_keys({ed25519_jwk, hmac_jwk}).keys, sign_token(signing_key(ed25519_jwk), header, claims));
}

// RFC 7515 appendix A.1.
constexpr std::string_view hs256_example =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

TEST(Token, VerifiesTheHs256ExampleOfItsStandard) {
  const auto claims = verify_token(hs256_example, load_keys({hmac_jwk}).keys);
  ASSERT_TRUE(claims.has_value()) << text_of(claims.error());
  EXPECT_EQ(string_of(*member(*object_of(claims->root()), "iss")), "joe");
  EXPECT_EQ(integer_of(*member(*object_of(claims->root()), "exp")), 1300819380);
}

// RFC 8037 appendix A.4; its payload is a sentence, so it gets as far as the claims.
TEST(Token, VerifiesTheEdDsaExampleOfItsStandard) {
  constexpr std::string_view example =
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
  EXPECT_EQ(sign_token(signing_key(ed25519_jwk), R"({"alg":"EdDSA"})", "Example of Ed25519 signing"), example);
  EXPECT_EQ(verify_with(load_keys({ed25519_jwk}).keys, example),
            "The token's claims are not one JSON object with unique names");
  EXPECT_EQ(verify_with(load_keys({other_ed25519_jwk}).keys, example), "The token's signature is not that of its key");
}

// RFC 7515 appendix A.3.
TEST(Token, VerifiesTheEs256ExampleOfItsStandard) {
  EXPECT_EQ(
      verify_with(load_keys({ec_jwk}).keys,
                  "eyJhbGciOiJFUzI1NiJ9."
                  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                  "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
      "verified");
}

TEST(Token, RefusesEveryChangedSignatureByte) {
  const KeySet keys = load_keys({hmac_jwk}).keys;
  for (std::size_t i = hs256_example.size() - 43; i + 1 < hs256_example.size(); ++i) {
    std::string changed(hs256_example);
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(verify_with(keys, changed), "The token's signature is not that of its key") << i;
  }
}

TEST(Token, IsAtMostEightThousandBytesLong) {
  const KeySet keys = load_keys({ed25519_jwk}).keys;
  const SigningKey key = signing_key(ed25519_jwk);
  const auto token_with_padding = [&key](std::size_t size) {
    return sign_token(key, R"({"alg":"EdDSA"})", R"({"a":")" + std::string(size, 'a') + "\"}");
  };
  const std::string longest = token_with_padding(5911);
  ASSERT_EQ(longest.size(), 8000U);
  EXPECT_EQ(verify_with(keys, longest), "verified");
  EXPECT_EQ(verify_with(keys, token_with_padding(5912)), "The token is longer than 8,000 bytes");
}

TEST(Token, HasThreeParts) {
  const KeySet keys = load_keys({hmac_jwk}).keys;
  for (std::string_view token : {"", "a", "a.b", "a.b.c.d", "..."}) {
    EXPECT_EQ(verify_with(keys, token), "The token is not a compact JWS of three parts") << token;
  }
  EXPECT_EQ(verify_with(keys, ".."), "The token's header is not one JSON object with unique names");
  EXPECT_EQ(verify_with(keys, std::string(hs256_example) + "."), "The token is not a compact JWS of three parts");
}

TEST(Token, IsStrictBase64url) {
  const KeySet keys = load_keys({hmac_jwk}).keys;
  const std::string token(hs256_example);
  EXPECT_EQ(verify_with(keys, " " + token), "The token's header is not base64url");
  EXPECT_EQ(verify_with(keys, token + "="), "The token's signature is not base64url, or too long");
  EXPECT_EQ(verify_with(keys, token + " "), "The token's signature is not base64url, or too long");
  // The last digit of the signature has two spare bits: k and l decode to the same for a lenient decoder.
  EXPECT_EQ(verify_with(keys, token.substr(0, token.size() - 1) + "l"),
            "The token's signature is not base64url, or too long");
  EXPECT_EQ(verify_with(keys, token + std::string(700, 'A')), "The token's signature is not base64url, or too long");
  // Signed as it stands, with a payload that is no base64url.
  const SigningKey key = signing_key(hmac_jwk);
  const std::string input = base64url_encode(R"({"alg":"HS256"})") + ".e30=";
  EXPECT_EQ(verify_with(keys, input + "." + base64url_encode(sign_hs256(std::get<HmacSecret>(key.secret), input))),
            "The token's claims are not base64url");
}

TEST(Token, HasAnAlgorithmOfTheList) {
  constexpr std::string_view refusal = "The token's algorithm (alg) is not accepted";
  EXPECT_EQ(verdict(R"({"alg":"none"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"None","kid":"ed-1"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"HS512"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"eddsa","kid":"ed-1"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":["EdDSA"]})"), refusal);
  EXPECT_EQ(verdict(R"({"kid":"ed-1"})"), refusal);
}

TEST(Token, IsVerifiedByTheAlgorithmOfItsKeyOnly) {
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":"ed-1"})"), "verified");
  constexpr std::string_view refusal = "The token's algorithm (alg) is not that of its key (kid)";
  EXPECT_EQ(verdict(R"({"alg":"HS256","kid":"ed-1"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":"hmac-1"})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"RS256","kid":"ed-1"})"), refusal);
}

// The two algorithms of RSA share their keys' form, and nothing else.
TEST(Token, IsVerifiedByOneAlgorithmOfRsaOnly) {
  const auto rsa = [](std::string_view alg) {
    return R"({"alg":")" + std::string(alg) + "\"," + std::string(rsa_jwk.substr(1));
  };
  const KeySet rs256 = load_keys({rsa("RS256")}).keys, ps256 = load_keys({rsa("PS256")}).keys;
  const std::string of_rs256 = sign_token(signing_key(rsa("RS256")), "{}");
  const std::string of_ps256 = sign_token(signing_key(rsa("PS256")), "{}");
  EXPECT_EQ(verify_with(rs256, of_rs256), "verified");
  EXPECT_EQ(verify_with(ps256, of_ps256), "verified");
  EXPECT_EQ(verify_with(rs256, of_ps256), "The token's algorithm (alg) is not that of its key (kid)");
  EXPECT_EQ(verify_with(ps256, of_rs256), "The token's algorithm (alg) is not that of its key (kid)");
  // The header names another algorithm than that of the signature.
  constexpr std::string_view wrong = "The token's signature is not that of its key";
  EXPECT_EQ(verify_with(rs256, sign_token(signing_key(rsa("PS256")), R"({"alg":"RS256","kid":"rsa-1"})", "{}")), wrong);
  EXPECT_EQ(verify_with(ps256, sign_token(signing_key(rsa("RS256")), R"({"alg":"PS256","kid":"rsa-1"})", "{}")), wrong);
}

// The form of ECDSA signatures that most libraries make: DER.
TEST(Token, IsNotVerifiedWithASignatureInDer) {
  const std::string input = base64url_encode(R"({"alg":"ES256","kid":"ec-1"})") + ".e30";
  const auto signature = sign_es256(std::get<P256PrivateKey>(signing_key(ec_jwk).secret), input);
  ASSERT_TRUE(signature.has_value());
  const std::string_view raw(reinterpret_cast<const char*>(signature->data()), signature->size());
  EXPECT_EQ(verify_with(load_keys({ec_jwk}).keys, input + "." + base64url_encode(raw)), "verified");
  const std::string der =
      "\x30\x46\x02\x21"s + '\0' + std::string(raw.substr(0, 32)) + "\x02\x21" + '\0' + std::string(raw.substr(32));
  EXPECT_EQ(verify_with(load_keys({ec_jwk}).keys, input + "." + base64url_encode(der)),
            "The token's signature is not that of its key");
}

// Key confusion: a public key used as a secret.
TEST(Token, IsNotVerifiedWithAPublicKeyAsSecret) {
  const KeySet keys = load_keys({ed25519_jwk}).keys;
  const auto& point = std::get<Ed25519PublicKey>(keys.find("ed-1")->material).point;
  const SigningKey forger{"ed-1", signing_algorithm_named("HS256"), HmacSecret{{point.begin(), point.end()}}};
  EXPECT_EQ(verify_with(keys, sign_token(forger, "{}")), "The token's algorithm (alg) is not that of its key (kid)");
  EXPECT_EQ(verify_with(keys, sign_token(forger, R"({"alg":"EdDSA","kid":"ed-1"})", "{}")),
            "The token's signature is not that of its key");
}

// The same with the other key types, and each encoding of the public key as secret.
TEST(Token, IsNotVerifiedWithAPublicNumberAsSecret) {
  const KeySet keys = load_keys({ec_jwk, rsa_jwk}).keys;
  const auto& point = std::get<P256PublicKey>(keys.find("ec-1")->material).point;
  const auto& modulus = std::get<RsaPublicKey>(keys.find("rsa-1")->material).modulus;
  constexpr std::string_view refusal = "The token's algorithm (alg) is not that of its key (kid)";
  EXPECT_EQ(verify_with(keys, sign_token(SigningKey{"ec-1", signing_algorithm_named("HS256"),
                                                    HmacSecret{{point.begin(), point.end()}}},
                                         "{}")),
            refusal);
  EXPECT_EQ(
      verify_with(keys, sign_token(SigningKey{"rsa-1", signing_algorithm_named("HS256"), HmacSecret{modulus}}, "{}")),
      refusal);
}

TEST(Token, NamesItsKeyByKid) {
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":"ed-3"})"), "The token's key (kid) is not known here");
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":""})"), "The token's key (kid) is not known here");
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":"ED-1"})"), "The token's key (kid) is not known here");
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":null})"), "The token's key (kid) is not a string");
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","kid":"\u0065d-1"})"), "verified");
}

TEST(Token, MayLackAKidWhereOneKeyFitsItsAlgorithm) {
  constexpr std::string_view refusal = "The token names no key (kid), and not exactly one key fits its algorithm";
  const std::string token = sign_token(signing_key(ed25519_jwk), R"({"alg":"EdDSA"})", "{}");
  EXPECT_EQ(verify_with(load_keys({ed25519_jwk, hmac_jwk}).keys, token), "verified");
  EXPECT_EQ(verify_with(load_keys({ed25519_jwk, other_ed25519_jwk}).keys, token), refusal);
  EXPECT_EQ(verify_with(load_keys({hmac_jwk}).keys, token), refusal);
}

TEST(Token, CannotContainItsOwnKey) {
  const KeySet keys = load_keys({ed25519_jwk}).keys;
  const SigningKey attacker_key = signing_key(other_ed25519_jwk);
  const std::string header =
      R"({"alg":"EdDSA","jku":"https://evil.test/jwks","x5u":"https://evil.test/x5u","x5c":["AA"],"jwk":)" +
      std::string(other_ed25519_jwk) + "}";
  EXPECT_EQ(verify_with(keys, sign_token(attacker_key, header, "{}")), "The token's signature is not that of its key");
  EXPECT_EQ(verdict(header), "verified");
}

TEST(Token, MayNotRequireExtensions) {
  constexpr std::string_view refusal = "The token's header asks for an extension (crit)";
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","crit":["b64"],"b64":false})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","crit":[]})"), refusal);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","crit":null})"), refusal);
}

TEST(Token, HasTheTypeOfAnAccessToken) {
  for (std::string_view type : {"JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "Application/at+JWT"}) {
    EXPECT_EQ(verdict(R"({"alg":"EdDSA","typ":")" + std::string(type) + "\"}"), "verified") << type;
  }
  for (std::string_view type : {R"("JOSE")", R"("dpop+jwt")", R"("id+jwt")", R"("application/jwt")", R"("")", "null"}) {
    EXPECT_EQ(verdict(R"({"alg":"EdDSA","typ":)" + std::string(type) + "}"), "The token's type (typ) is not accepted")
        << type;
  }
}

constexpr std::string_view bad_header = "The token's header is not one JSON object with unique names";
constexpr std::string_view bad_claims = "The token's claims are not one JSON object with unique names";

TEST(Token, HasAHeaderAndClaimsThatAreSingleObjects) {
  for (std::string_view text : {"", "[]", "7", "{} {}", "{}x", "{\"a\":}", "\xef\xbb\xbf{}"}) {
    EXPECT_EQ(verdict(text), bad_header) << text;
    EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", text), bad_claims) << text;
  }
  EXPECT_EQ(verdict(" {\"alg\":\n\"EdDSA\"} ", "\t{} "), "verified");
}

TEST(Token, HasNoNameTwice) {
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","alg":"EdDSA"})"), bad_header);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA","\u0061lg":"none"})"), bad_header);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", R"({"sub":"a","s\u0075b":"b"})"), bad_claims);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", R"({"a":[{"b":1,"b":1}]})"), bad_claims);
}

TEST(Token, IsValidUtf8) {
  EXPECT_EQ(verdict("{\"alg\":\"EdDSA\",\"a\":\"\xe9\"}"), bad_header);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", "{\"sub\":\"\xe9\"}"), bad_claims);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", R"({"sub":"\ud800"})"), bad_claims);
}

TEST(Token, IsAtMostSixteenDeep) {
  const auto nested = [](int arrays) {
    const auto count = static_cast<std::size_t>(arrays);
    return R"({"alg":"EdDSA","a":)" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_EQ(verdict(nested(15), nested(15)), "verified");
  EXPECT_EQ(verdict(nested(16)), bad_header);
  EXPECT_EQ(verdict(R"({"alg":"EdDSA"})", nested(16)), bad_claims);
}

}  // namespace
}  // namespace portail
