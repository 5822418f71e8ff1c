// One attack: what is sent, and the very words that the service must answer it with. Every family of attacks also holds
// neighbours, requests as near to the attacks as an honest client gets, which must be taken: a service that refuses
// everything fails. The keys and settings are those of tests/support/tokens.hpp.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings.hpp"

namespace portail {

struct Attack {
  std::string_view name;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view answer;  // what verdict_on gives
  std::string target = "/api/app/liasse";
  std::string tenant = {};              // PORTAIL_TENANT
  std::string subject_claim = {"sub"};  // PORTAIL_SUBJECT_CLAIM
};

// An attack by a token in the one place where tokens belong.
Attack with_token(std::string_view name, const std::string& token, std::string_view answer);

// "taken" for a 200, "anonymous" for a 401 whose challenge is `Bearer` alone, the error_description of a 401 that says
// invalid_token; anything else says what it was.
std::string verdict_on(const Attack& attack);

inline constexpr std::string_view taken = "taken";
inline constexpr std::string_view anonymous = "anonymous";

// The sentences of the refusals, as a token's owner reads them.
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
inline constexpr std::string_view audience_not_strings = "The token's audience (aud) holds something else than strings";
inline constexpr std::string_view no_expiry = "The token has no expiry (exp)";
inline constexpr std::string_view expiry_not_number = "The token's expiry (exp) is not a number from 0 to 2^53";
inline constexpr std::string_view expired = "The token has expired";
inline constexpr std::string_view start_not_number = "The token's start (nbf) is not a number from 0 to 2^53";
inline constexpr std::string_view not_yet_valid = "The token is not valid yet (nbf)";
inline constexpr std::string_view tenant = "The token is of another tenant (tenantid)";
inline constexpr std::string_view not_access_token = "The token is an ID or refresh token, not an access token";
inline constexpr std::string_view id_token = "The token is an ID token, not an access token";
inline constexpr std::string_view client_not_string = "The token's client (client_id, azp) is not a string";
inline constexpr std::string_view sub_not_string = "The token's subject (sub) is not a string";
inline constexpr std::string_view subject_not_string = "The token's subject is not a string";
inline constexpr std::string_view subject_length = "The token's subject is not 1 to 255 bytes long";
inline constexpr std::string_view nobody = "The token names neither a subject nor a client";
}  // namespace refusal

// The families.
std::vector<Attack> algorithm_attacks();
std::vector<Attack> secret_attacks();  // HS256 over something public
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

// What attacks are made of.

// The header {"alg":"EdDSA","kid":"test-eddsa"}, and the claims of a good token for sub-client.
inline constexpr std::string_view good_header = R"({"alg":"EdDSA","kid":"test-eddsa"})";
std::string good_claims();
// The same with one claim changed, or put in: its JSON text; no text: the claim is left out.
std::string claims_with(std::string_view name, std::string_view json);
// The same with members put in as they stand: `,"a":1`.
std::string claims_and(std::string_view members);

// Compact tokens, with good claims where none are given, signed with the key that the algorithm says.
std::string eddsa_token(std::string_view header);
std::string eddsa_token(std::string_view header, std::string_view claims);
std::string good_token();
// Signs two parts as they stand, base64url or not.
std::string eddsa_over(std::string_view encoded_header, std::string_view encoded_claims);
// An HMAC with any secret.
std::string hs256_token(std::string_view secret, std::string_view header);

// The service's keys, as an attacker may know them (the public one) or not.
std::string public_key_bytes();
std::string hmac_secret_bytes();

}  // namespace portail
