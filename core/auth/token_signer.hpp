// Signs tokens and checkpoints, for `portail token`, `portail audit checkpoint` and tests; the service does not use it.
// Pure functions and plain values; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "core/auth/signing_algorithms.hpp"

namespace portail {

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
