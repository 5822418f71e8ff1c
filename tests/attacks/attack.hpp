// An attack: the request, and the exact answer that the service must return. Each family of attacks also contains valid
// requests that are similar to the attacks and must be accepted, so that a service that refuses everything fails. The
// keys and settings are those of tests/support/tokens.hpp.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/settings.hpp"

namespace portail {

struct Attack {
  std::string_view name;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view answer;  // the expected verdict_on
  std::string target = "/api/app/liasse";
  std::string tenant = {};              // PORTAIL_TENANT
  std::string subject_claim = {"sub"};  // PORTAIL_SUBJECT_CLAIM
};

// An attack by a token in the Authorization header.
Attack with_token(std::string_view name, const std::string& token, std::string_view answer);

// Sends the request. Returns "accepted" for a 200, "anonymous" for a 401 with the challenge `Bearer`, and the
// error_description of a 401 with invalid_token. Any other answer is described.
std::string verdict_on(const Attack& attack);

inline constexpr std::string_view accepted = "accepted";
inline constexpr std::string_view anonymous = "anonymous";

// The sentences of the refusals, which the client reads.
namespace refusal {
inline constexpr std::string_view two_headers = "More than one Authorization header was sent";
inline constexpr std::string_view too_long = "The token is longer than 8,000 bytes";
inline constexpr std::string_view not_three_parts = "The token is not a compact JWS of three parts";
inline constexpr std::string_view header_encoding = "The token's header is not base64url";
inline constexpr std::string_view header_json = "The token's header is not one JSON object with unique names";
inline constexpr std::string_view critical = "The token's header asks for an extension (crit)";
inline constexpr std::string_view header_type = "The token's type (typ) is not accepted";
inline constexpr std::string_view algorithm = "The token's algorithm (alg) is not accepted";
inline constexpr std::string_view key_not_string = "The token's key (kid) is not a string";
inline constexpr std::string_view key_unknown = "The token's key (kid) is not known here";
inline constexpr std::string_view key_of_other_algorithm = "The token's algorithm (alg) is not that of its key (kid)";
inline constexpr std::string_view no_single_key =
    "The token names no key (kid), and not exactly one key fits its algorithm";
inline constexpr std::string_view signature_encoding = "The token's signature is not base64url, or too long";
inline constexpr std::string_view signature = "The token's signature is not that of its key";
inline constexpr std::string_view claims_encoding = "The token's claims are not base64url";
inline constexpr std::string_view claims_json = "The token's claims are not one JSON object with unique names";
inline constexpr std::string_view issuer = "The token's issuer (iss) is not the expected one";
inline constexpr std::string_view audience = "The token is not meant for this service (aud)";
inline constexpr std::string_view audience_not_strings = "The token's audience (aud) must have strings only";
inline constexpr std::string_view no_expiry = "The token has no expiry (exp)";
inline constexpr std::string_view expiry_not_number = "The token's expiry (exp) is not a number from 0 to 2^53";
inline constexpr std::string_view expired = "The token has expired";
inline constexpr std::string_view start_not_number = "The token's start (nbf) is not a number from 0 to 2^53";
inline constexpr std::string_view not_yet_valid = "The token is not valid yet (nbf)";
inline constexpr std::string_view tenant = "The token's tenant (tenantid) is missing or not the expected one";
inline constexpr std::string_view not_access_token = "The token is an ID or refresh token, not an access token";
inline constexpr std::string_view id_token = "The token is an ID token, not an access token";
inline constexpr std::string_view other_token = "The token is not an access token (typ, token_use, events)";
inline constexpr std::string_view client_not_string = "The token's client (client_id, azp) is not a string";
inline constexpr std::string_view sub_not_string = "The token's subject (sub) is not a string";
inline constexpr std::string_view subject_not_string = "The token's subject is not a string";
inline constexpr std::string_view subject_length = "The token's subject is not 1 to 255 bytes long";
inline constexpr std::string_view no_identity = "The token names neither a subject nor a client";
}  // namespace refusal

// The families.
std::vector<Attack> algorithm_attacks();
std::vector<Attack> secret_attacks();  // HS256 with a public value as secret
std::vector<Attack> key_attacks();
std::vector<Attack> embedded_key_attacks();
std::vector<Attack> extension_attacks();
std::vector<Attack> type_attacks();
std::vector<Attack> signature_attacks();
std::vector<Attack> form_attacks();
std::vector<Attack> encoding_attacks();
std::vector<Attack> duplicate_name_attacks();
std::vector<Attack> json_attacks();
std::vector<Attack> size_attacks();
std::vector<Attack> expiry_attacks();
std::vector<Attack> start_attacks();
std::vector<Attack> issuer_attacks();
std::vector<Attack> audience_attacks();
std::vector<Attack> subject_attacks();
std::vector<Attack> kind_attacks();
std::vector<Attack> tenant_attacks();
std::vector<Attack> request_attacks();

// The parts of attacks.

// The header {"alg":"EdDSA","kid":"test-eddsa"}, and the claims of a good token for sub-client.
inline constexpr std::string_view good_header = R"({"alg":"EdDSA","kid":"test-eddsa"})";
std::string good_claims();
// The same with one claim changed or added; `json` is its JSON text, empty: without the claim.
std::string claims_with(std::string_view name, std::string_view json);
// The same with members appended verbatim: `,"a":1`.
std::string claims_and(std::string_view members);

// Compact tokens, signed with the key of the algorithm. Default: good claims.
std::string eddsa_token(std::string_view header);
std::string eddsa_token(std::string_view header, std::string_view claims);
std::string good_token();
// Signs two parts verbatim, also if they are not base64url.
std::string eddsa_over(std::string_view encoded_header, std::string_view encoded_claims);
// An HMAC with any secret.
std::string hs256_token(std::string_view secret, std::string_view header);

// The service's keys: the public one, which an attacker may have, and the secret.
std::string public_key_bytes();
std::string hmac_secret_bytes();

}  // namespace portail
