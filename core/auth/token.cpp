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

using Refused = std::unexpected<Reason>;

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

// A media type may be written without "application/" (RFC 7515 section 4.1.9).
bool is_access_token_type(std::string_view type) {
  constexpr std::string_view prefix = "application/";
  if (equals_ignoring_case(type.substr(0, prefix.size()), prefix)) type.remove_prefix(prefix.size());
  return equals_ignoring_case(type, "JWT") || equals_ignoring_case(type, "at+jwt");
}

std::expected<const Algorithm*, Reason> read_algorithm(JsonObject header) {
  const auto name = string_member(header, "alg");
  const Algorithm* algorithm = name ? algorithm_named(*name) : nullptr;
  if (!algorithm) return Refused(Reason::algorithm_not_accepted);
  return algorithm;
}

// Returns the key that the header names by kid and algorithm, the first if there are several.
std::expected<const VerificationKey*, Reason> choose_key(JsonObject header, const KeySet& keys) {
  const auto named = read_algorithm(header);
  if (!named) return Refused(named.error());
  const Algorithm* algorithm = *named;
  const auto kid = member(header, "kid");
  if (!kid) {
    const VerificationKey* only_key = keys.find_only(*algorithm);
    if (!only_key) return Refused(Reason::kid_missing);
    return only_key;
  }
  const auto id = string_of(*kid);
  if (!id) return Refused(Reason::kid_not_a_string);
  const VerificationKey* key = keys.find(*id, algorithm);
  if (!key) return Refused(keys.find(*id) ? Reason::algorithm_not_of_key : Reason::kid_unknown);
  return key;
}

// Parses the header and checks the members that do not select the key (crit, typ).
std::expected<JsonDocument, Reason> read_header(std::string_view text) {
  const auto bytes = base64url_decode(text);
  if (!bytes) return Refused(Reason::header_not_base64url);
  auto document = parse_json(*bytes, token_json);
  const auto header = document ? object_of(document->root()) : std::nullopt;
  if (!header) return Refused(Reason::header_not_an_object);
  if (member(*header, "crit")) return Refused(Reason::header_with_crit);
  if (const auto type = member(*header, "typ")) {
    const auto type_name = string_of(*type);
    if (!type_name || !is_access_token_type(*type_name)) return Refused(Reason::type_not_accepted);
  }
  return std::move(*document);
}

}  // namespace

std::expected<std::string, Reason> verify_jws(std::string_view token, const KeySet& keys) {
  if (token.size() > max_token_size) return Refused(Reason::token_too_long);
  const auto parts = split(token);
  if (!parts) return Refused(Reason::token_not_compact);
  const auto header = read_header(parts->header);
  if (!header) return Refused(header.error());
  const auto key = choose_key(*object_of(header->root()), keys);
  if (!key) return Refused(key.error());

  std::array<std::byte, max_signature_size> buffer;
  const auto signature = base64url_decode(parts->signature, buffer);
  if (!signature) return Refused(Reason::signature_not_base64url);
  const auto verifies = [&](const VerificationKey& each) {
    return each.kid == (*key)->kid && each.algorithm == (*key)->algorithm &&
           each.algorithm->verify(each.material, parts->signing_input, *signature);
  };
  if (std::ranges::none_of(keys.keys(), verifies)) return Refused(Reason::wrong_signature);

  auto payload = base64url_decode(parts->claims);
  if (!payload) return Refused(Reason::claims_not_base64url);
  return std::move(*payload);
}

std::expected<JsonDocument, Reason> verify_token(std::string_view token, const KeySet& keys) {
  const auto payload = verify_jws(token, keys);
  if (!payload) return Refused(payload.error());
  auto claims = parse_json(*payload, token_json);
  if (!claims || !object_of(claims->root())) return Refused(Reason::claims_not_an_object);
  return std::move(*claims);
}

std::optional<Reason> form_fault(std::string_view token) {
  if (token.size() > max_token_size) return Reason::token_too_long;
  const auto parts = split(token);
  if (!parts) return Reason::token_not_compact;
  const auto document = read_header(parts->header);
  if (!document) return document.error();
  const JsonObject header = *object_of(document->root());
  if (const auto algorithm = read_algorithm(header); !algorithm) return algorithm.error();
  if (const auto kid = member(header, "kid"); kid && !string_of(*kid)) return Reason::kid_not_a_string;

  std::array<std::byte, max_signature_size> buffer;
  if (!base64url_decode(parts->signature, buffer)) return Reason::signature_not_base64url;
  if (parts->signature.empty()) return Reason::no_signature;
  const auto payload = base64url_decode(parts->claims);
  if (!payload) return Reason::claims_not_base64url;
  const auto claims = parse_json(*payload, token_json);
  if (!claims || !object_of(claims->root())) return Reason::claims_not_an_object;
  return std::nullopt;
}

bool names_unknown_key(std::string_view token, const KeySet& keys) {
  if (token.size() > max_token_size) return false;
  const auto parts = split(token);
  const auto document = parts ? read_header(parts->header) : Refused(Reason::token_not_compact);
  if (!document) return false;
  const JsonObject header = *object_of(document->root());
  const auto name = string_member(header, "alg");
  const auto id = string_member(header, "kid");
  const Algorithm* algorithm = algorithm_named(name.value_or(""));
  return algorithm && id && !keys.find(*id, algorithm);
}

}  // namespace portail
