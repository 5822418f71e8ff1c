// Makes keys and their public half, for `portail keys` and tests. Any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "core/auth/signing_algorithms.hpp"
#include "core/base/context.hpp"

namespace portail {

// A new private JWK for that algorithm, with `kty`, `kid`, `alg`, `"use":"sig"` and the members of its key type; RSA
// keys have 2048 bits. `kid` is UTF-8, not empty.
[[nodiscard]] std::string make_private_jwk(const SigningAlgorithm& algorithm, std::string_view kid,
                                           RandomSource& random);

// What a verifier needs of a JWK set, or of one JWK: a set of the same keys with only the members that are known to be
// public. A secret of HS256 has no public half: it is left in, and the set stays a secret. A key that is refused as it
// is stays so, but for a private one whose key_ops say "sign". The error is one line for the operator, without key
// material.
[[nodiscard]] std::expected<std::string, std::string> verification_key_set(std::string_view json);

}  // namespace portail
