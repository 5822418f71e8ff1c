// Generation of keys and signing of tokens, one row for each algorithm: for `portail keys`, `portail token` and tests.
// The service does not use it, and programs that only verify do not link it. Constants; any thread.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/context.hpp"
#include "core/crypto/key_material.hpp"
#include "core/crypto/rsa/private_key.hpp"
#include "core/crypto/sign.hpp"
#include "core/crypto/sign_es256.hpp"
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

}  // namespace portail
