// Reads the key material of a JWK (RFC 7518 section 6, RFC 8037): one function for each kind, whose kty and crv were
// checked. Each returns the key, or the reason for its refusal, a constant. Pure functions; any thread.
#pragma once

#include <expected>
#include <string_view>

#include "core/crypto/key_material.hpp"
#include "core/json/reader.hpp"

namespace portail {

template <class Key>
using ReadKey = std::expected<Key, std::string_view>;

[[nodiscard]] ReadKey<Ed25519PublicKey> read_ed25519_key(JsonObject jwk);
[[nodiscard]] ReadKey<P256PublicKey> read_p256_key(JsonObject jwk);
[[nodiscard]] ReadKey<RsaPublicKey> read_rsa_key(JsonObject jwk);
[[nodiscard]] ReadKey<HmacSecret> read_hmac_secret(JsonObject jwk);

}  // namespace portail
