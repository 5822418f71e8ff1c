#include "core/auth/token.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/base/text.hpp"

namespace portail {
namespace {

using Refusal = std::unexpected<std::string_view>;

constexpr JsonLimits token_json{.max_depth = 16, .unique_names = true, .max_size = max_token_size};

struct CompactToken {
  std::string_view header, claims, signature;  // base64url
  std::string_view signing_input;              // header and claims, with the dot between them
};

std::optional<CompactToken> split(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
  return CompactToken{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1),
                      token.substr(0, second)};
}

bool is_access_token_type(std::string_view type) {
  return std::ranges::any_of(std::array<std::string_view, 3>{"JWT", "at+jwt", "application/at+jwt"},
                             [type](std::string_view accepted) { return equals_ignoring_case(type, accepted); });
}

constexpr std::string_view key_not_a_string = "The token's key (kid) is not a string";
constexpr std::string_view too_long = "The token is longer than 8,000 bytes";
constexpr std::string_view not_compact = "The token is not a compact JWS of three parts";
constexpr std::string_view signature_not_base64url = "The token's signature is not base64url, or too long";
constexpr std::string_view claims_not_base64url = "The token's claims are not base64url";
constexpr std::string_view claims_not_an_object = "The token's claims are not one JSON object with unique names";

std::expected<const Algorithm*, std::string_view> read_algorithm(JsonObject header) {
  const auto name = string_member(header, "alg");
  const Algorithm* algorithm = name ? algorithm_named(*name) : nullptr;
  if (!algorithm) return Refusal("The token's algorithm (alg) is not accepted");
  return algorithm;
}

// Returns the key that the header names, which must be of the header's algorithm.
std::expected<const VerificationKey*, std::string_view> choose_key(JsonObject header, const KeySet& keys) {
  const auto named = read_algorithm(header);
  if (!named) return Refusal(named.error());
  const Algorithm* algorithm = *named;
  const auto kid = member(header, "kid");
  if (!kid) {
    const VerificationKey* only_key = keys.find_only(*algorithm);
    if (!only_key) return Refusal("The token names no key (kid), and not exactly one key fits its algorithm");
    return only_key;
  }
  const auto id = string_of(*kid);
  if (!id) return Refusal(key_not_a_string);
  const VerificationKey* key = keys.find(*id);
  if (!key) return Refusal("The token's key (kid) is not known here");
  if (key->algorithm != algorithm) return Refusal("The token's algorithm (alg) is not that of its key (kid)");
  return key;
}

// Parses the header and checks the members that do not select the key (crit, typ).
std::expected<JsonDocument, std::string_view> read_header(std::string_view text) {
  const auto bytes = base64url_decode(text);
  if (!bytes) return Refusal("The token's header is not base64url");
  auto document = parse_json(*bytes, token_json);
  const auto header = document ? object_of(document->root()) : std::nullopt;
  if (!header) return Refusal("The token's header is not one JSON object with unique names");
  if (member(*header, "crit")) return Refusal("The token's header asks for an extension (crit)");
  if (const auto type = member(*header, "typ")) {
    const auto type_name = string_of(*type);
    if (!type_name || !is_access_token_type(*type_name)) return Refusal("The token's type (typ) is not accepted");
  }
  return std::move(*document);
}

}  // namespace

std::expected<std::string, std::string_view> verify_jws(std::string_view token, const KeySet& keys) {
  if (token.size() > max_token_size) return Refusal(too_long);
  const auto parts = split(token);
  if (!parts) return Refusal(not_compact);
  const auto header = read_header(parts->header);
  if (!header) return Refusal(header.error());
  const auto key = choose_key(*object_of(header->root()), keys);
  if (!key) return Refusal(key.error());

  std::array<std::byte, max_signature_size> buffer;
  const auto signature = base64url_decode(parts->signature, buffer);
  if (!signature) return Refusal(signature_not_base64url);
  if (!(*key)->algorithm->verify((*key)->material, parts->signing_input, *signature)) {
    return Refusal("The token's signature is not that of its key");
  }

  auto payload = base64url_decode(parts->claims);
  if (!payload) return Refusal(claims_not_base64url);
  return std::move(*payload);
}

std::expected<JsonDocument, std::string_view> verify_token(std::string_view token, const KeySet& keys) {
  const auto payload = verify_jws(token, keys);
  if (!payload) return Refusal(payload.error());
  auto claims = parse_json(*payload, token_json);
  if (!claims || !object_of(claims->root())) return Refusal(claims_not_an_object);
  return std::move(*claims);
}

std::optional<std::string_view> form_fault(std::string_view token) {
  if (token.size() > max_token_size) return too_long;
  const auto parts = split(token);
  if (!parts) return not_compact;
  const auto document = read_header(parts->header);
  if (!document) return document.error();
  const JsonObject header = *object_of(document->root());
  if (const auto algorithm = read_algorithm(header); !algorithm) return algorithm.error();
  if (const auto kid = member(header, "kid"); kid && !string_of(*kid)) return key_not_a_string;

  std::array<std::byte, max_signature_size> buffer;
  if (!base64url_decode(parts->signature, buffer)) return signature_not_base64url;
  if (parts->signature.empty()) return "The token has no signature";
  const auto payload = base64url_decode(parts->claims);
  if (!payload) return claims_not_base64url;
  const auto claims = parse_json(*payload, token_json);
  if (!claims || !object_of(claims->root())) return claims_not_an_object;
  return std::nullopt;
}

bool names_unknown_key(std::string_view token, const KeySet& keys) {
  if (token.size() > max_token_size) return false;
  const auto parts = split(token);
  const auto document = parts ? read_header(parts->header) : Refusal("");
  if (!document) return false;
  const JsonObject header = *object_of(document->root());
  const auto name = string_member(header, "alg");
  const auto id = string_member(header, "kid");
  return name && algorithm_named(*name) && id && !keys.find(*id);
}

}  // namespace portail
