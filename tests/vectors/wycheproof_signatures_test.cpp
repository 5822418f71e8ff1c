// Wycheproof's signatures, against the verify function of each algorithm.
#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "core/auth/algorithms.hpp"
#include "core/crypto/signatures.hpp"
#include "tests/vectors/support/vector_files.hpp"

namespace portail {
namespace {

class WycheproofSignatures : public VectorTest {
 protected:
  WycheproofSignatures() : VectorTest("wycheproof/ed25519_test.json", in_packages) {}
};

struct Counts {
  std::size_t cases = 0, accepted = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.cases << " cases, " << counts.accepted << " accepted";
}

// Runs every test of a file: `accepts` returns this program's result, `expected` the correct one.
template <class Accepts, class Expected>
Counts run(std::string_view path, Accepts accepts, Expected expected) {
  Counts counts;
  const VectorDocument file(path);
  counts.cases = for_each_test(file, [&](JsonObject group, JsonObject test) {
    const bool accepted = accepts(group, test);
    EXPECT_EQ(accepted, expected(group, test))
        << path << ", tcId " << number_in(test, "tcId") << ": " << text_in(test, "comment");
    counts.accepted += accepted ? 1 : 0;
  });
  return counts;
}

// "acceptable" means encodings that a verifier may reject, and this one does.
bool is_valid(JsonObject, JsonObject test) { return text_in(test, "result") == "valid"; }

bool never(JsonObject, JsonObject) { return false; }

// Each group's key as a JWK, in that member; the algorithm is the one that the key is bound to.
auto with_jwk(std::string_view member_name, std::string_view algorithm) {
  return [member_name, algorithm](JsonObject group, JsonObject test) {
    return algorithm_named(algorithm)->verify(key_material_of(object_in(group, member_name)),
                                              text_of_hex(text_in(test, "msg")), bytes_of_hex(text_in(test, "sig")));
  };
}

TEST_F(WycheproofSignatures, Ed25519) {
  EXPECT_EQ(run("wycheproof/ed25519_test.json", with_jwk("publicKeyJwk", "EdDSA"), is_valid), (Counts{151, 88}));
}

P256PublicKey p256_key_of(JsonObject group) {
  P256PublicKey key{};
  const auto point = bytes_of_hex(text_in(object_in(group, "publicKey"), "uncompressed"));
  EXPECT_EQ(point.size(), key.point.size());
  std::copy_n(point.begin(), std::min(point.size(), key.point.size()), key.point.begin());
  EXPECT_TRUE(is_valid_key(key));
  return key;
}

TEST_F(WycheproofSignatures, EcdsaP256InJosesForm) {
  // Not every group has its key as a JWK.
  const auto accepts = [](JsonObject group, JsonObject test) {
    const KeyMaterial key =
        member(group, "publicKeyJwk") ? key_material_of(object_in(group, "publicKeyJwk")) : p256_key_of(group);
    return algorithm_named("ES256")->verify(key, text_of_hex(text_in(test, "msg")), bytes_of_hex(text_in(test, "sig")));
  };
  EXPECT_EQ(run("wycheproof/ecdsa_secp256r1_sha256_p1363_test.json", accepts, is_valid), (Counts{262, 173}));
}

// Removes the positive INTEGER at the begin of `der` and returns it as 32 bytes; nullopt if it is not DER.
std::optional<std::vector<std::byte>> read_integer(std::span<const std::byte>& der) {
  if (der.size() < 3 || der[0] != std::byte{2}) return std::nullopt;
  const std::size_t size = std::to_integer<std::size_t>(der[1]);
  if (size == 0 || size > 33 || der.size() < 2 + size) return std::nullopt;
  auto number = der.subspan(2, size);
  der = der.subspan(2 + size);
  const bool is_negative = (number[0] & std::byte{0x80}) != std::byte{0};
  if (is_negative) return std::nullopt;
  if (number[0] == std::byte{0} && size > 1) {
    if ((number[1] & std::byte{0x80}) == std::byte{0}) return std::nullopt;  // not the shortest
    number = number.subspan(1);
  }
  if (number.size() > 32) return std::nullopt;
  std::vector<std::byte> padded(32 - number.size());
  padded.insert(padded.end(), number.begin(), number.end());
  return padded;
}

// Converts an ECDSA-Sig-Value in DER to JOSE's r and s.
std::optional<std::vector<std::byte>> josed(std::span<const std::byte> der) {
  if (der.size() < 2 || der[0] != std::byte{0x30} || std::to_integer<std::size_t>(der[1]) != der.size() - 2) {
    return std::nullopt;
  }
  der = der.subspan(2);
  auto r = read_integer(der);
  const auto s = r ? read_integer(der) : std::nullopt;
  if (!s || !der.empty()) return std::nullopt;
  r->insert(r->end(), s->begin(), s->end());
  return r;
}

// Signatures in DER are rejected. Converted to JOSE's form, valid DER is accepted if its numbers are valid.
TEST_F(WycheproofSignatures, EcdsaP256InDer) {
  std::size_t rewritten = 0;
  const auto accepts = [&rewritten](JsonObject group, JsonObject test) {
    const P256PublicKey key = p256_key_of(group);
    const std::string message = text_of_hex(text_in(test, "msg"));
    const auto der = bytes_of_hex(text_in(test, "sig"));
    EXPECT_FALSE(verify_es256(key, message, der));
    const auto signature = josed(der);
    rewritten += signature ? 1 : 0;
    return signature && verify_es256(key, message, *signature);
  };
  EXPECT_EQ(run("wycheproof/ecdsa_secp256r1_sha256_test.json", accepts, is_valid), (Counts{484, 174}));
  EXPECT_EQ(rewritten, 249U);
}

// HS256 does not have the tags of 16 bytes, which HMAC allows.
TEST_F(WycheproofSignatures, HmacSha256) {
  std::size_t short_tags = 0;
  const auto accepts = [&short_tags](JsonObject group, JsonObject test) {
    short_tags += number_in(group, "tagSize") == 256 ? 0 : 1;
    return verify_hs256(HmacSecret{bytes_of_hex(text_in(test, "key"))}, text_of_hex(text_in(test, "msg")),
                        bytes_of_hex(text_in(test, "tag")));
  };
  const auto expected = [](JsonObject group, JsonObject test) {
    return number_in(group, "tagSize") == 256 && is_valid(group, test);
  };
  EXPECT_EQ(run("wycheproof/hmac_sha256_test.json", accepts, expected), (Counts{174, 33}));
  EXPECT_EQ(short_tags, 87U);
}

TEST_F(WycheproofSignatures, RsaPkcs1) {
  const auto accepts = with_jwk("keyJwk", "RS256");
  EXPECT_EQ(run("wycheproof/rsa_signature_2048_sha256_test.json", accepts, is_valid), (Counts{259, 9}));
  EXPECT_EQ(run("wycheproof/rsa_signature_3072_sha256_test.json", accepts, is_valid), (Counts{259, 8}));
  EXPECT_EQ(run("wycheproof/rsa_signature_4096_sha256_test.json", accepts, is_valid), (Counts{258, 7}));
}

// In DER a number whose first bit is set has a leading zero byte.
std::vector<std::byte> number_of_hex(std::string_view hex) {
  auto number = bytes_of_hex(hex);
  if (!number.empty() && number.front() == std::byte{0}) number.erase(number.begin());
  return number;
}

bool verifies_as_ps256(JsonObject group, JsonObject test) {
  const JsonObject numbers = object_in(group, "publicKey");
  const RsaPublicKey key{number_of_hex(text_in(numbers, "modulus")), number_of_hex(text_in(numbers, "publicExponent"))};
  return verify_ps256(key, text_of_hex(text_in(test, "msg")), bytes_of_hex(text_in(test, "sig")));
}

TEST_F(WycheproofSignatures, RsaPss) {
  EXPECT_EQ(run("wycheproof/rsa_pss_2048_sha256_mgf1_32_test.json", with_jwk("publicKeyJwk", "PS256"), is_valid),
            (Counts{108, 63}));
  EXPECT_EQ(run("wycheproof/rsa_pss_2048_sha256_mgf1_32_params_test.json", verifies_as_ps256, is_valid),
            (Counts{108, 63}));
}

// PS256 has one hash, one mask and one length of salt (RFC 7518 section 3.5): other kinds of PSS are rejected.
TEST_F(WycheproofSignatures, RsaPssOfOtherKinds) {
  // Of these, one was made with a salt of 32 bytes.
  const auto has_salt = [](JsonObject, JsonObject test) { return text_in(test, "comment") == "s_len changed to 32"; };
  EXPECT_EQ(run("wycheproof/rsa_pss_2048_sha256_mgf1_0_test.json", verifies_as_ps256, has_salt), (Counts{103, 1}));
  EXPECT_EQ(run("wycheproof/rsa_pss_2048_sha256_mgf1sha1_20_test.json", verifies_as_ps256, never), (Counts{108, 0}));
  const auto is_ps256 = [](JsonObject group, JsonObject) {
    return text_in(group, "sha") == "SHA-256" && text_in(group, "mgfSha") == "SHA-256" &&
           number_in(group, "sLen") == 32;
  };
  EXPECT_EQ(run("wycheproof/rsa_pss_misc_test.json", verifies_as_ps256, is_ps256), (Counts{150, 1}));
}

}  // namespace
}  // namespace portail
