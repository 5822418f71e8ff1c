// Reads a key of a JWK set and checks it by docs/reference/contract.md, "Tokens: keys refused". RFC 7517, RFC 7518
// section 6, RFC 8037. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/auth/key_set.hpp"
#include "core/crypto/signatures.hpp"
#include "core/json/reader.hpp"

namespace portail {

// Returns the key, bound to one algorithm; or the reason for its refusal, in one line: "its use is not sig".
[[nodiscard]] std::expected<VerificationKey, std::string> read_jwk(JsonObject jwk);

// Returns the reason for the refusal of a key with two members of one name; nullopt for any other.
[[nodiscard]] std::optional<std::string> repeated_member_fault(JsonObject jwk);

// Returns the member of that name. One that is null or empty (a string, array or object) counts as absent.
[[nodiscard]] std::optional<JsonValue> filled_member(JsonObject jwk, std::string_view name);

// Returns the kid if it is a string; valid as long as the document.
[[nodiscard]] std::optional<std::string_view> kid_of(JsonObject jwk);

// Returns whether the key has members of a private key (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2).
[[nodiscard]] bool has_private_members(JsonObject jwk);

// The refusal of a document that is no set of keys.
inline constexpr std::string_view no_keys = R"(it has no "keys" array; a single key is written {"keys":[KEY]})";

// A text of a key or of a set of keys. Each key of the set that has a fault is null in the document.
struct ParsedKeys {
  JsonDocument document;
  std::vector<std::pair<std::size_t, JsonFault>> faults;  // by ascending index in "keys"
};
// Parses up to max_key_set_size bytes. Names may be repeated in keys of a set. The error is a constant: "malformed
// JSON".
[[nodiscard]] std::expected<ParsedKeys, std::string_view> parse_keys(std::string_view text);

// Reads the key material of a JWK (RFC 7518 section 6, RFC 8037): one function for each kind, whose kty and crv were
// checked. Each returns the key, or the reason for its refusal, a constant. Pure functions; any thread.

template <class Key>
using ReadKey = std::expected<Key, std::string_view>;

[[nodiscard]] ReadKey<Ed25519PublicKey> read_ed25519_key(JsonObject jwk);
[[nodiscard]] ReadKey<P256PublicKey> read_p256_key(JsonObject jwk);
[[nodiscard]] ReadKey<RsaPublicKey> read_rsa_key(JsonObject jwk);
[[nodiscard]] ReadKey<HmacSecret> read_hmac_secret(JsonObject jwk);

}  // namespace portail
