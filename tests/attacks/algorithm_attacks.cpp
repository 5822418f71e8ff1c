// The algorithm: missing, in another spelling, of another key, or HS256 with a public value as secret (RFC 8725
// sections 2.1 and 3.1).
#include "core/auth/base64url.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

std::string header_with_alg(std::string_view json) {
  return R"({"alg":)" + std::string(json) + R"(,"kid":"test-eddsa"})";
}

// No signature after the last dot.
std::string unsigned_token(std::string_view header) {
  return base64url_encode(header) + '.' + base64url_encode(good_claims()) + '.';
}

std::string pem_of(std::string_view base64) {
  return "-----BEGIN PUBLIC KEY-----\n" + std::string(base64) + "\n-----END PUBLIC KEY-----\n";
}

// The public key as it may stand in a file: SubjectPublicKeyInfo (RFC 8410 section 10.1).
std::string der() { return std::string("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12) + public_key_bytes(); }

std::string padded_base64(std::string_view bytes) {
  std::string text = base64url_encode(bytes);
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string jwk(std::string_view more = "") {
  return R"({"kty":"OKP","crv":"Ed25519")" + std::string(more) + R"(,"x":")" + base64url_encode(public_key_bytes()) +
         "\"}";
}

}  // namespace

std::vector<Attack> algorithm_attacks() {
  using namespace refusal;
  std::vector<Attack> attacks;
  const auto try_alg = [&attacks](std::string_view name, std::string_view json, std::string_view answer) {
    attacks.push_back(with_token(name, eddsa_token(header_with_alg(json)), answer));
  };
  const auto without_signature = [&attacks](std::string_view name, std::string_view header) {
    attacks.push_back(with_token(name, unsigned_token(header), algorithm));
  };
  without_signature("none, unsigned", R"({"alg":"none"})");
  without_signature("none under a good kid, unsigned", R"({"alg":"none","kid":"test-eddsa"})");
  without_signature("None, unsigned", R"({"alg":"None"})");
  without_signature("NONE, unsigned", R"({"alg":"NONE"})");
  without_signature("nOnE, unsigned", R"({"alg":"nOnE"})");
  without_signature("none written with escapes", R"({"alg":"\u006eone"})");
  without_signature("none with a space", R"({"alg":"none "})");
  without_signature("none with a NUL", R"({"alg":"none\u0000"})");
  without_signature("no alg, unsigned", R"({"kid":"test-eddsa"})");
  without_signature("null, unsigned", R"({"alg":null,"kid":"test-eddsa"})");
  without_signature("empty alg, unsigned", R"({"alg":"","kid":"test-eddsa"})");
  attacks.push_back(
      with_token("a good alg, unsigned", unsigned_token(R"({"alg":"EdDSA","kid":"test-eddsa"})"), signature));
  attacks.push_back(with_token("HS256, unsigned", unsigned_token(R"({"alg":"HS256","kid":"test-hs256"})"), signature));

  try_alg("none over a good signature", R"("none")", algorithm);
  try_alg("lower case", R"("eddsa")", algorithm);
  try_alg("upper case", R"("EDDSA")", algorithm);
  try_alg("the curve's name in lower case", R"("ed25519")", algorithm);
  try_alg("the curve's name, a trailing NUL", R"("Ed25519\u0000")", algorithm);
  try_alg("the other curve", R"("Ed448")", algorithm);
  try_alg("a trailing NUL", R"("EdDSA\u0000")", algorithm);
  try_alg("a leading space", R"(" EdDSA")", algorithm);
  try_alg("two algorithms", R"(["EdDSA","HS256"])", algorithm);
  try_alg("an array of one", R"(["EdDSA"])", algorithm);
  try_alg("an object", R"({"alg":"EdDSA"})", algorithm);
  try_alg("a number", "0", algorithm);
  try_alg("false", "false", algorithm);
  try_alg("HS384", R"("HS384")", algorithm);
  try_alg("HS512", R"("HS512")", algorithm);
  try_alg("RS1, with SHA-1", R"("RS1")", algorithm);
  try_alg("ES256K", R"("ES256K")", algorithm);
  try_alg("an encryption", R"("RSA-OAEP")", algorithm);
  try_alg("direct encryption", R"("dir")", algorithm);
  try_alg("a key wrap", R"("PBES2-HS256+A128KW")", algorithm);
  try_alg("HS256 for an Ed25519 key", R"("HS256")", key_of_other_algorithm);
  try_alg("RS256 for an Ed25519 key", R"("RS256")", key_of_other_algorithm);
  try_alg("PS256 for an Ed25519 key", R"("PS256")", key_of_other_algorithm);
  try_alg("ES256 for an Ed25519 key", R"("ES256")", key_of_other_algorithm);
  attacks.push_back(
      with_token("RS256, which no key has, without a kid", eddsa_token(R"({"alg":"RS256"})"), no_single_key));
  attacks.push_back(with_token("the alg stands in the claims only",
                               eddsa_token(R"({"kid":"test-eddsa"})", claims_and(R"(,"alg":"EdDSA")")), algorithm));
  attacks.push_back(
      with_token("the member's name in upper case", eddsa_token(R"({"ALG":"EdDSA","kid":"test-eddsa"})"), algorithm));
  try_alg("Ed25519, the other name of EdDSA", R"("Ed25519")", accepted);
  attacks.push_back(with_token("EdDSA", good_token(), accepted));
  attacks.push_back(with_token("EdDSA, an alg in the claims is nothing",
                               eddsa_token(good_header, claims_and(R"(,"alg":"none")")), accepted));
  attacks.push_back(
      with_token("EdDSA, written with escapes", eddsa_token(R"({"alg":"\u0045dDSA","kid":"test-eddsa"})"), accepted));
  return attacks;
}

std::vector<Attack> secret_attacks() {
  using namespace refusal;
  std::vector<Attack> attacks;
  struct Secret {
    std::string_view under_its_kid, under_the_secrets_kid, without_kid;
    std::string bytes;
  };
  const std::string x = public_key_bytes();
  const std::string pem = pem_of(padded_base64(der()));
  const Secret secrets[] = {
      {"raw bytes, its kid", "raw bytes, the secret's kid", "raw bytes, no kid", x},
      {"x coordinate, its kid", "x coordinate, the secret's kid", "x coordinate, no kid", base64url_encode(x)},
      {"padded base64, its kid", "padded base64, the secret's kid", "padded base64, no kid", padded_base64(x)},
      {"hexadecimal, its kid", "hexadecimal, the secret's kid", "hexadecimal, no kid", hexadecimal(x)},
      {"JWK, its kid", "JWK, the secret's kid", "JWK, no kid", jwk()},
      {"JWK with kid, its kid", "JWK with kid, the secret's kid", "JWK with kid, no kid",
       jwk(R"(,"kid":"test-eddsa")")},
      {"key set, its kid", "key set, the secret's kid", "key set, no kid",
       R"({"keys":[)" + jwk(R"(,"kid":"test-eddsa")") + "]}"},
      {"thumbprint's input, its kid", "thumbprint's input, the secret's kid", "thumbprint's input, no kid",
       R"({"crv":"Ed25519","kty":"OKP","x":")" + base64url_encode(x) + "\"}"},
      {"DER, its kid", "DER, the secret's kid", "DER, no kid", der()},
      {"PEM, its kid", "PEM, the secret's kid", "PEM, no kid", pem},
      {"PEM without the last line end, its kid", "PEM without the last line end, the secret's kid",
       "PEM without the last line end, no kid", pem.substr(0, pem.size() - 1)},
  };
  for (const Secret& secret : secrets) {
    attacks.push_back(with_token(secret.under_its_kid,
                                 hs256_token(secret.bytes, R"({"alg":"HS256","kid":"test-eddsa"})"),
                                 key_of_other_algorithm));
    attacks.push_back(with_token(secret.under_the_secrets_kid,
                                 hs256_token(secret.bytes, R"({"alg":"HS256","kid":"test-hs256"})"), signature));
    attacks.push_back(with_token(secret.without_kid, hs256_token(secret.bytes, R"({"alg":"HS256"})"), signature));
  }
  const auto guess = [&attacks](std::string_view name, std::string_view bytes) {
    attacks.push_back(with_token(name, hs256_token(bytes, R"({"alg":"HS256","kid":"test-hs256"})"), signature));
  };
  guess("an empty secret, or zeros", "");
  guess("the word secret", "secret");
  guess("the kid", "test-hs256");
  guess("the issuer", "https://issuer.test");
  guess("the secret's text", base64url_encode(hmac_secret_bytes()));
  guess("all but the last byte of the secret", hmac_secret_bytes().substr(1));
  attacks.push_back(with_token("the Ed25519 alg over an HMAC",
                               hs256_token(hmac_secret_bytes(), R"({"alg":"Ed25519","kid":"test-hs256"})"),
                               key_of_other_algorithm));
  attacks.push_back(with_token("the EdDSA alg over an HMAC",
                               hs256_token(hmac_secret_bytes(), R"({"alg":"EdDSA","kid":"test-hs256"})"),
                               key_of_other_algorithm));
  attacks.push_back(
      with_token("the HMAC under the Ed25519 key's name", hs256_token(hmac_secret_bytes(), good_header), signature));
  attacks.push_back(
      with_token("the secret", hs256_token(hmac_secret_bytes(), R"({"alg":"HS256","kid":"test-hs256"})"), accepted));
  attacks.push_back(with_token("the secret, no kid", hs256_token(hmac_secret_bytes(), R"({"alg":"HS256"})"), accepted));
  return attacks;
}

}  // namespace portail
