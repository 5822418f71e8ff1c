// Generation of keys, one row for each algorithm, and signing of tokens and checkpoints: for `portail keys`, `portail
// token`, `portail audit checkpoint` and tests. The service does not use it, and programs that only verify do not link
// it. Constants, plain values, pure functions; any thread.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/context.hpp"
#include "core/crypto/rsa/private_key.hpp"
#include "core/crypto/sign.hpp"
#include "core/crypto/signatures.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {

using SigningSecret = std::variant<Ed25519Seed, P256PrivateKey, RsaPrivateKey, HmacSecret>;

struct SigningAlgorithm {
  std::string_view name;  // of its row in algorithms()
  // Generates a key and writes the members of its kind: "crv", "x", "d".
  void (*write_new_key)(JsonWriter& jwk, RandomSource& random);
  // Returns the signing secret of a private JWK, or the reason why it has none, a constant. `material` is from its
  // public members.
  std::expected<SigningSecret, std::string_view> (*read_secret)(JsonObject jwk, const KeyMaterial& material);
  // Returns the signature in base64url; empty if the secret's numbers are invalid.
  std::string (*sign)(const SigningSecret& secret, std::string_view message);
};

[[nodiscard]] std::span<const SigningAlgorithm> signing_algorithms();
// Returns the algorithm of exactly that name, or null.
[[nodiscard]] const SigningAlgorithm* signing_algorithm_named(std::string_view name);

struct SigningKey {
  std::string kid;                    // empty: no kid
  const SigningAlgorithm* algorithm;  // never null
  SigningSecret secret;
};

// Loads a private JWK, or from a set the key of that kid, or, if `kid` is empty, the first that can sign. An RSA key
// needs all private members (d, p, q, dp, dq, qi). The error is one line for the operator, without key material.
[[nodiscard]] std::expected<SigningKey, std::string> load_signing_key(std::string_view json, std::string_view kid = {});

// Returns a compact JWS with the header {"alg":…,"kid":…,"typ":"at+jwt"}; without a kid if the key has none. `claims`
// is JSON text in practice; it is signed unchecked.
[[nodiscard]] std::string sign_token(const SigningKey& key, std::string_view claims);
// The same with any header.
[[nodiscard]] std::string sign_token(const SigningKey& key, std::string_view header, std::string_view claims);
// Returns a compact JWS of a text that is no token: the header has no typ.
[[nodiscard]] std::string sign_text(const SigningKey& key, std::string_view text);

}  // namespace portail
