// Key confusion: a public RSA or EC key, in each of its encodings, used as an HMAC secret; and signatures of the wrong
// scheme or in the wrong form. The keys and signatures were generated with OpenSSL for this file.
#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/auth/base64url.hpp"
#include "core/auth/token.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

constexpr std::string_view rsa_jwk =
    R"({"kty":"RSA","kid":"rsa-1","n":"s590sl0Ml-PniYxwrsyI0KAcVWIhEpNKoxh3HRgEss4sIb760AqeUik0UmuHZCcdF8eTYAVfUwlR)"
    R"(GKs4_ZIMrNTFnnSk7vU9ShYsX4aev9vw_KB7toFpgX0PIq0zido8zNYi-e0HGWRQXT90MnHQUu39dNEGFGjBbxiUVZtYvzKPmh1dWaFUzGeO)"
    R"(oHW-yyTnQztCQ_biOZRHWLYwA5_-WSLOSERafRaTjk5SPyVHksqXCARLZ8jZ_c0dZ9jsFpGA6fGQCjWijzsf8yXJPA_2nqLOHCLRzwxVg3hl)"
    R"(CSRm9kiD8yiGVeMFLfSY1Fcp1VCcxXrKevFNnHzwxanMVLHSSw","e":"AQAB"})";

constexpr std::string_view ec_jwk =
    R"({"kty":"EC","kid":"ec-1","crv":"P-256","x":"KluFVIVQxUqhb0CfWuAVzzrU1r1JdPL-jW8ELc7jYzQ","y":"f8EF6TyBO1SmNd)"
    R"(Prp6qf1zVp6vGIVPOILGgX7odR5_0"})";

constexpr std::string_view rsa_pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAs590sl0Ml+PniYxwrsyI\n"
    "0KAcVWIhEpNKoxh3HRgEss4sIb760AqeUik0UmuHZCcdF8eTYAVfUwlRGKs4/ZIM\n"
    "rNTFnnSk7vU9ShYsX4aev9vw/KB7toFpgX0PIq0zido8zNYi+e0HGWRQXT90MnHQ\n"
    "Uu39dNEGFGjBbxiUVZtYvzKPmh1dWaFUzGeOoHW+yyTnQztCQ/biOZRHWLYwA5/+\n"
    "WSLOSERafRaTjk5SPyVHksqXCARLZ8jZ/c0dZ9jsFpGA6fGQCjWijzsf8yXJPA/2\n"
    "nqLOHCLRzwxVg3hlCSRm9kiD8yiGVeMFLfSY1Fcp1VCcxXrKevFNnHzwxanMVLHS\n"
    "SwIDAQAB\n"
    "-----END PUBLIC KEY-----\n";

constexpr std::string_view rsa_pkcs1_pem =
    "-----BEGIN RSA PUBLIC KEY-----\n"
    "MIIBCgKCAQEAs590sl0Ml+PniYxwrsyI0KAcVWIhEpNKoxh3HRgEss4sIb760Aqe\n"
    "Uik0UmuHZCcdF8eTYAVfUwlRGKs4/ZIMrNTFnnSk7vU9ShYsX4aev9vw/KB7toFp\n"
    "gX0PIq0zido8zNYi+e0HGWRQXT90MnHQUu39dNEGFGjBbxiUVZtYvzKPmh1dWaFU\n"
    "zGeOoHW+yyTnQztCQ/biOZRHWLYwA5/+WSLOSERafRaTjk5SPyVHksqXCARLZ8jZ\n"
    "/c0dZ9jsFpGA6fGQCjWijzsf8yXJPA/2nqLOHCLRzwxVg3hlCSRm9kiD8yiGVeMF\n"
    "LfSY1Fcp1VCcxXrKevFNnHzwxanMVLHSSwIDAQAB\n"
    "-----END RSA PUBLIC KEY-----\n";

constexpr std::string_view ec_pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKluFVIVQxUqhb0CfWuAVzzrU1r1J\n"
    "dPL+jW8ELc7jYzR/wQXpPIE7VKY10+unqp/XNWnq8YhU84gsaBfuh1Hn/Q==\n"
    "-----END PUBLIC KEY-----\n";

// Of the claims {"sub":"x"}.
constexpr std::string_view rs256_token =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ4In0.MJN90ToYPrQbsWwmEu5aFcAS2ksdXIRbhd0cG1Oo-xbvZMxY2BoM4Z3R"
    "beGWVpCdGYCoI3Rr8MBVpDXmcPZxXtSdk7rVjUBnxgLWrYNiXK1tX2QfcEljbe1Pik4OS_IkeIMif9n1O0cGuuqoog45dmOdBZS-iIHDrUj5ksUV"
    "sYfEv75suEgaWUoQIOpV3AcOFL_maEzY6GvXAx3C1e85Jbk-TfRS2d_32Cz9ffdqDuxd_gYe3yvR4T8mwqNPDG9GsHzBCOMmDWWzqNClkLb8QJCV"
    "eL2ePJLVUc5oeSLoQ6bTmYbMqIA4iPK0GPiA5de3m4Ei-t19gikvrR5YfGIFMQ";

constexpr std::string_view pss_as_rs256 =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ4In0.C_38VGe5FNEdUSjjyDmSdv63UmepgHYYmjQ-uRmDMg0ElWCxpiP-MbZg"
    "Mi6pDRMaS9PHIBQurhvu9wrYQvyoKXojEeqpcPAb9n0QesACDno48dkRBQyw7tnzVyDvHfkeAyKt4-Vlo-uxHjk6AJPsx2rkt7Sy-2ODhCndqrfp"
    "okaXQG3JlkWsgkTmu8tJiD0L0lLMNGC-CofiNyOlYJmVSrM7H-8yxBysXFkaXKq1O0saKW1wZ3meomfY6m6dfxgqYO-_P0YtsxVrGZkxecZROs3M"
    "bVALjv4tpStcPkcFYh0eTuGOavMRTO5-SOJMwpEzlcQywtVsDCAFZ47038q6Tg";

constexpr std::string_view sha1_as_rs256 =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ4In0.TvGL73PC92Yar9kGoVS4NbZ61XF7y61nfPAgGPuTlvDHAkM5wIdom6G4"
    "cPzHj7TiZafAEQ8fn9BPQcwFHnEbgCalhi8dTGKn7CIjd_J34WSNuEJ9dP7EAZHtEZizlD44_nNTE9XlIJsExmFtM0j6aLxcvIDVEB_uHwdiAHOF"
    "fZgKEJSLWmyfExC9E6Om-k3EXaI27e203aXkZt43t6YhCVrw_8DqsveL_mNgF67Gy4OAuX66QM6B58dHSRg38oDXm0RjdtDI3QhG2SZc4d_FiqHR"
    "28utga2M1VPPpK75Dn-aM5wEjhjU51TZNiY89S1wWW-Ow2dRuVFoJ8a0SLhBvw";

constexpr std::string_view ps256_with_rs256_key =
    "eyJhbGciOiJQUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ4In0.SMdNXTYIwd2aPHQRzmIBjibGy5QoziQhlOfNbMiYtpF4zY3YciAnDLUD"
    "2WRX5LRlQ0yKeVYoIZP25JmoFUv6mzl9zkhwUCfIhZVJxoofadQC2hZHZiGrMbn7Vzj5V-Lm1doZzd1hDTO8KX_Gz8bZ0h-Qi76sofmBXd5EDknb"
    "y-D4khgkAyuq4ASaOtenOllJrZboP0HiCWkV-pOGKP4u0VtpCyWaIGe2HLyNyKh6HQ510CapHaIrijUyOwZU9OdK_tZ8EWIDSFDGfI8mhDttyAM6"
    "FKuM5DQ7riSTkBd4iB66sMhYdVA2AVfm6gs1kxqlqt0cMOx_pae5n8UZcXRU9g";

constexpr std::string_view es256_token =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjLTEifQ.eyJzdWIiOiJ4In0.llQbEKwYKb6BJaFLHrCeAvpV8pkP5A_TZ3hlj3H75C2m4RT7IyBZaXQ9S"
    "OrIabgax6p5LX5fXRDQWZh0GKnIcg";

constexpr std::string_view es256_in_der =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjLTEifQ.eyJzdWIiOiJ4In0.MEYCIQCWVBsQrBgpvoEloUsesJ4C-lXymQ_kD9NneGWPcfvkLQIhAKbhF"
    "PsjIFlpdD1I6shpuBrHqnktfl9dENBZmHQYqchy";

constexpr std::string_view ecdsa_as_rs256 =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6ImVjLTEifQ.eyJzdWIiOiJ4In0.MFqSgr-DOQ42gtrI77m8PPaPGCuYYYMbJ1wPg4cTlR9tBUNIK8A4QLApX"
    "myIoCwcyTEO643FR_QsciJ-bve7Nw";

constexpr std::string_view rsa_as_es256 =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ4In0.SSHcRFwNcGEg150BrcOLx4VUODLbpbRaTWtUJLl6W5knhM5swDgaxG2M"
    "glXzDYkttyCHouHTKQyJOnqsw-aSTyeL7ZKYbBooEQ1KMKGtwRfMWZndpZtViuHWI5qgZzM7qhYpTCWCci8JwtryOvS_pOjU8b5iFQ8_mn-lF2vv"
    "1B3lyZF8_Y7l6WEVRaECj601nonIEGhZu-WbrrLERqZ2AIN9-38Qn0AhkuAmuxhwIeb0N1TNYpyul9xQY1yDqV3XoIDCFOMVDBrkCGpoPdB7hiYJ"
    "hj5C3uVMKtr6PEfzKg6Uby3VdXbfICc4o7HUpIrWCazgz75kQwrXwc7lHdjFRw";

// Decodes the content of a PEM text.
std::string der_of(std::string_view pem) {
  std::string base64url;
  pem.remove_prefix(pem.find('\n'));
  pem = pem.substr(0, pem.find('-'));
  for (const char c : pem) {
    if (c != '\n' && c != '=') base64url += c == '+' ? '-' : c == '/' ? '_' : c;
  }
  return base64url_decode(base64url).value_or("");
}

std::string_view text_between(std::string_view text, std::string_view begin, char end) {
  text.remove_prefix(text.find(begin) + begin.size());
  return text.substr(0, text.find(end));
}

class PublicKeyConfusion : public testing::Test {
 protected:
  void SetUp() override {
    const auto loaded = load_key_set(R"({"keys":[)" + std::string(rsa_jwk) + "," + std::string(ec_jwk) + "]}");
    ASSERT_TRUE(loaded.has_value()) << loaded.error();
    keys_ = loaded->keys;
    if (keys_.size() != 2) GTEST_SKIP() << "this build cannot verify RSA and EC signatures";
  }

  std::string verdict(std::string_view token) const {
    const auto claims = verify_token(token, keys_);
    return claims ? "verified" : std::string(text_of(claims.error()));
  }

  KeySet keys_;
};

TEST_F(PublicKeyConfusion, SignaturesOfTheKeysAreAccepted) {
  EXPECT_EQ(verdict(rs256_token), "verified");
  EXPECT_EQ(verdict(es256_token), "verified");
}

TEST_F(PublicKeyConfusion, NoFormOfAPublicKeyIsASecret) {
  struct Form {
    std::string_view name, kid;
    std::string bytes;
  };
  const std::string n(text_between(rsa_jwk, R"("n":")", '"'));
  const std::string x(text_between(ec_jwk, R"("x":")", '"'));
  const std::string y(text_between(ec_jwk, R"("y":")", '"'));
  const std::string rsa_der = der_of(rsa_pem);
  const std::string ec_der = der_of(ec_pem);
  ASSERT_EQ(rsa_der.size(), 294U);
  ASSERT_EQ(ec_der.size(), 91U);
  const std::array forms{
      Form{"RSA, JWK", "rsa-1", std::string(rsa_jwk)},
      Form{"RSA, PEM", "rsa-1", std::string(rsa_pem)},
      Form{"RSA, PEM without the last line end", "rsa-1", std::string(rsa_pem.substr(0, rsa_pem.size() - 1))},
      Form{"RSA, PKCS #1 PEM", "rsa-1", std::string(rsa_pkcs1_pem)},
      Form{"RSA, DER", "rsa-1", rsa_der},
      Form{"RSA, PKCS #1 DER", "rsa-1", der_of(rsa_pkcs1_pem)},
      Form{"RSA, the modulus", "rsa-1", base64url_decode(n).value_or("")},
      Form{"RSA, the modulus as text", "rsa-1", n},
      Form{"EC, JWK", "ec-1", std::string(ec_jwk)},
      Form{"EC, PEM", "ec-1", std::string(ec_pem)},
      Form{"EC, PEM without the last line end", "ec-1", std::string(ec_pem.substr(0, ec_pem.size() - 1))},
      Form{"EC, DER", "ec-1", ec_der},
      Form{"EC, the point", "ec-1", ec_der.substr(26)},
      Form{"EC, x", "ec-1", base64url_decode(x).value_or("")},
      Form{"EC, x as text", "ec-1", x},
      Form{"EC, y", "ec-1", base64url_decode(y).value_or("")},
  };
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name);
    ASSERT_GE(form.bytes.size(), 32U);
    const std::string header = R"({"alg":"HS256","kid":")" + std::string(form.kid) + "\"}";
    EXPECT_EQ(verdict(hs256_token(form.bytes, header)), refusal::key_of_other_algorithm);
    EXPECT_EQ(verdict(hs256_token(form.bytes, R"({"alg":"HS256"})")), refusal::no_single_key);
    // The key's own algorithm over an HMAC.
    const std::string own =
        form.kid == "rsa-1" ? R"({"alg":"RS256","kid":"rsa-1"})" : R"({"alg":"ES256","kid":"ec-1"})";
    EXPECT_EQ(verdict(hs256_token(form.bytes, own)), refusal::signature);
  }
}

TEST_F(PublicKeyConfusion, AKeyVerifiesOneAlgorithmOnly) {
  EXPECT_EQ(verdict(ps256_with_rs256_key), refusal::key_of_other_algorithm);
  EXPECT_EQ(verdict(ecdsa_as_rs256), refusal::key_of_other_algorithm);
  EXPECT_EQ(verdict(rsa_as_es256), refusal::key_of_other_algorithm);
}

TEST_F(PublicKeyConfusion, ASignatureHasTheFormOfItsAlgorithm) {
  EXPECT_EQ(verdict(pss_as_rs256), refusal::signature);
  EXPECT_EQ(verdict(sha1_as_rs256), refusal::signature);
  EXPECT_EQ(verdict(es256_in_der), refusal::signature);
}

}  // namespace
}  // namespace portail
