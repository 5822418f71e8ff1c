// Generates keys and extracts public keys, for `portail keys` and tests. Any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "core/auth/token_signer.hpp"
#include "core/base/context.hpp"

namespace portail {

// Generates a private JWK for the algorithm, with `kty`, `kid`, `alg`, `"use":"sig"` and the members of its key type;
// RSA keys have 2048 bits. `kid` is UTF-8, not empty.
[[nodiscard]] std::string generate_private_jwk(const SigningAlgorithm& algorithm, std::string_view kid,
                                               RandomSource& random);

// Returns the verification keys of a JWK set or of one JWK: the same keys with only the members that are known to be
// public. An HS256 secret has no public half; it is included, and the set stays secret. A refused key stays refused,
// except a private one whose key_ops contain "sign". The error is one line for the operator, without key material.
[[nodiscard]] std::expected<std::string, std::string> verification_key_set(std::string_view json);

}  // namespace portail
