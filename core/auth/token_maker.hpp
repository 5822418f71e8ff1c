// Makes signed tokens, for `portail token` and for tests; the service itself never does. Pure functions and plain
// values; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "core/auth/signing_algorithms.hpp"

namespace portail {

struct SigningKey {
  std::string kid;                    // empty: it has none
  const SigningAlgorithm* algorithm;  // never null
  SigningSecret secret;
};

// `json` is a private JWK, or a set of them: then the key of that kid, or, without a kid, the first that can sign.
// The private members of an RSA key are all needed (d, p, q, dp, dq, qi). The error is one line for the operator,
// without key material.
[[nodiscard]] std::expected<SigningKey, std::string> load_signing_key(std::string_view json, std::string_view kid = {});

// A compact JWS with the header {"alg":…,"kid":…,"typ":"at+jwt"}, without a kid where the key has none. `claims` is
// signed as it is: JSON text, in practice.
[[nodiscard]] std::string make_token(const SigningKey& key, std::string_view claims);
// The same with a header of the caller's own.
[[nodiscard]] std::string make_token(const SigningKey& key, std::string_view header, std::string_view claims);

}  // namespace portail
