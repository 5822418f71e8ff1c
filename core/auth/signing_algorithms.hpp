// How keys are made and tokens signed, a row for each algorithm: for `portail keys`, `portail token` and tests. The
// service itself never does either, and what only verifies links none of this. Constants; any thread.
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
  std::string_view name;  // that of its row among the algorithms
  // Writes the members of a new key that its kind has: "crv", "x", "d".
  void (*write_new_key)(JsonWriter& jwk, RandomSource& random);
  // What a private JWK signs with, `material` being what its public members say; or why it cannot, a constant.
  std::expected<SigningSecret, std::string_view> (*read_secret)(JsonObject jwk, const KeyMaterial& material);
  // The signature in base64url; empty where the secret's numbers cannot be computed with.
  std::string (*sign)(const SigningSecret& secret, std::string_view message);
};

[[nodiscard]] std::span<const SigningAlgorithm> signing_algorithms();
// Null where there is none of exactly that name.
[[nodiscard]] const SigningAlgorithm* signing_algorithm_named(std::string_view name);

}  // namespace portail
