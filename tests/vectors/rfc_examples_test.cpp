// The worked examples of RFC 7515, 7520, 7797 and 8037 (tests/vectors/rfc).
#include <algorithm>

#include <gtest/gtest.h>

#include "core/auth/token.hpp"
#include "core/auth/token_signer.hpp"
#include "tests/vectors/support/vector_files.hpp"

namespace portail {
namespace {

// Returns the payload of an accepted token, or the reason of its refusal.
std::string verdict(std::string_view token, const LoadedKeySet& keys) {
  const auto payload = verify_jws(token, keys.keys);
  return payload ? *payload : std::string(text_of(payload.error()));
}

// The same of a cookbook's file: its compact form by its own key.
std::string verdict_on(std::string_view path) {
  const VectorDocument file(path);
  return verdict(text_in(object_in(file.root(), "output"), "compact"),
                 load_vector_keys(object_in(object_in(file.root(), "input"), "key")));
}

// Returns the same for its JSON form, presented as a token.
std::string verdict_on_json(std::string_view path, std::string_view form) {
  const VectorDocument file(path);
  const std::string text = json_text(object_in(object_in(file.root(), "output"), form));
  const JsonObject input = object_in(file.root(), "input");
  const auto key = object_of(*member(input, "key"));
  return verdict(text, key ? load_vector_keys(*key) : LoadedKeySet{});
}

// Returns the refusal of the only key of a file; empty if it is used.
std::string refusal_of(std::string_view path) {
  const VectorDocument file(path);
  const LoadedKeySet loaded = load_vector_keys(file.root());
  return loaded.refusals.empty() ? "" : std::string(loaded.refusals[0].text);
}

constexpr std::string_view tolkien =
    "It\xe2\x80\x99s a dangerous business, Frodo, going out your door. You step onto the road, and if you don't keep "
    "your feet, there\xe2\x80\x99s no knowing where you might be swept off to.";
constexpr std::string_view other_algorithm = "The token's algorithm (alg) is not accepted";
constexpr std::string_view not_compact = "The token is not a compact JWS of three parts";

TEST(RfcExamples, TokensOfRfc7515AndRfc8037) {
  const auto document = parse_json(read_vector_file("rfc/rfc7515_8037_tokens.json"));
  ASSERT_TRUE(document.has_value());
  const auto list = array_of(document->root());
  ASSERT_TRUE(list.has_value());
  std::vector<std::string> payloads;
  for (const JsonValue each : *list) {
    const JsonObject example = *object_of(each);
    payloads.push_back(verdict(text_in(example, "token"), load_vector_keys(object_in(example, "jwk"))));
  }
  constexpr const char* joe = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
  EXPECT_EQ(payloads, (std::vector<std::string>{joe, joe, "Example of Ed25519 signing"}));
}

TEST(RfcExamples, KeysOfRfc7520) {
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_1.ec_public_key.json"), "its crv P-521 is not supported; tokens need P-256");
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_2.ec_private_key.json"), "its crv P-521 is not supported; tokens need P-256");
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_3.rsa_public_key.json"), "");
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_4.rsa_private_key.json"), "");
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_5.symmetric_key_mac_computation.json"), "");
  EXPECT_EQ(refusal_of("rfc/rfc7520/3_6.symmetric_key_encryption.json"), "its use is not sig");
}

TEST(RfcExamples, SignaturesOfRfc7520) {
  EXPECT_EQ(verdict_on("rfc/rfc7520/4_1.rsa_v15_signature.json"), tolkien);
  EXPECT_EQ(verdict_on("rfc/rfc7520/4_2.rsa-pss_signature.json"), other_algorithm);  // PS384
  EXPECT_EQ(verdict_on("rfc/rfc7520/4_3.ecdsa_signature.json"), other_algorithm);    // ES512
  EXPECT_EQ(verdict_on("rfc/rfc7520/4_4.hmac-sha2_integrity_protection.json"), tolkien);
  // A detached payload is not in the token, and so not signed.
  EXPECT_EQ(verdict_on("rfc/rfc7520/4_5.signature_with_detached_content.json"),
            "The token's signature is not that of its key");
}

TEST(RfcExamples, JsonFormsOfRfc7520) {
  EXPECT_EQ(verdict_on_json("rfc/rfc7520/4_1.rsa_v15_signature.json", "json_flat"), not_compact);
  EXPECT_EQ(verdict_on_json("rfc/rfc7520/4_4.hmac-sha2_integrity_protection.json", "json"), not_compact);
  EXPECT_EQ(verdict_on_json("rfc/rfc7520/4_6.protecting_specific_header_fields.json", "json_flat"), not_compact);
  EXPECT_EQ(verdict_on_json("rfc/rfc7520/4_7.protecting_content_only.json", "json_flat"), not_compact);
  EXPECT_EQ(verdict_on_json("rfc/rfc7520/4_8.multiple_signatures.json", "json"), not_compact);
}

// The same key and payload make the same tokens: these algorithms are deterministic.
TEST(RfcExamples, SignaturesOfRfc7520AreMadeAgain) {
  for (const std::string_view path : {"rfc/rfc7520/4_1.rsa_v15_signature.json",
                                      "rfc/rfc7520/4_4.hmac-sha2_integrity_protection.json", "rfc/rfc8037/jws.json"}) {
    const VectorDocument file(path);
    const JsonObject input = object_in(file.root(), "input");
    const auto key = load_signing_key(json_text(object_in(input, "key")));
    ASSERT_TRUE(key.has_value()) << path << ": " << key.error();
    const std::string header = json_text(object_in(object_in(file.root(), "signing"), "protected"));
    EXPECT_EQ(sign_token(*key, header, text_in(input, "payload")),
              text_in(object_in(file.root(), "output"), "compact"));
  }
}

// A payload that is not base64url is an extension of the JWS, and announced by crit.
TEST(RfcExamples, UnencodedPayloadsOfRfc7797) {
  EXPECT_EQ(verdict_on("rfc/rfc7797/hmac-sha2_b64_false.json"), "The token's header asks for an extension (crit)");
  EXPECT_EQ(verdict_on_json("rfc/rfc7797/4.2.hmac-sha2_b64_false.json", "json_flat"), not_compact);
}

TEST(RfcExamples, SignatureOfRfc8037) { EXPECT_EQ(verdict_on("rfc/rfc8037/jws.json"), "Example of Ed25519 signing"); }

}  // namespace
}  // namespace portail
