// Creates valid and malformed tokens. It shares no code with the service, so that a bug in one does not hide in the
// other. JOSE terms are those of RFC 7515, 7517 and 7519.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail::contract {

struct SigningKey {
  std::string algorithm;   // as JOSE names it
  std::string identifier;  // kid
  std::string secret;      // EdDSA: the 32-byte seed; HS256: the secret; else the private key in PEM
  std::string public_key;  // EdDSA: 32 bytes; else empty
};

std::string base64url(std::string_view bytes);
std::string base64url_decoded(std::string_view text);
SigningKey ed25519_key(std::string_view identifier, std::string_view seed);
std::string signature(const SigningKey& key, std::string_view signing_input);
std::string hmac_sha256(std::string_view secret, std::string_view bytes);

// The keys of PORTAIL_CONTRACT_KEYS. Throws std::runtime_error if the file has no such key.
const SigningKey& eddsa_key();
const SigningKey& hs256_key();

std::int64_t now();  // seconds since 1970

// A JSON object as text: values are JSON texts, inserted unchanged.
class JsonObject {
 public:
  JsonObject& set(std::string_view name, std::string_view json);       // replaces, or appends
  JsonObject& add(std::string_view name_json, std::string_view json);  // appends, also a duplicate; the name unquoted
  JsonObject& remove(std::string_view name);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

std::string json_string(std::string_view text);  // a JSON string; `text` needs no escapes

// {"alg":…,"kid":…,"typ":"JWT"}
JsonObject header_of(const SigningKey& key);
// iss, aud, exp in an hour, and sub unless it is empty.
JsonObject claims_of(std::string_view subject);

// The compact form, signed over exactly these encoded parts.
std::string signed_parts(const SigningKey& key, std::string_view encoded_header, std::string_view encoded_claims);
std::string token(const SigningKey& key, std::string_view header, std::string_view claims);
std::string token(const JsonObject& claims);  // EdDSA
std::string token(std::string_view subject);  // EdDSA, for a caller with only a subject
// A token with more claims: token("sub", {{"roles", R"(["a"])"}}).
std::string token(std::string_view subject, const std::vector<std::pair<std::string, std::string>>& claims);

}  // namespace portail::contract
