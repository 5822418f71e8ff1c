#include "core/auth/key_maker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/auth/base64url.hpp"
#include "core/auth/jwk.hpp"
#include "core/auth/key_set.hpp"
#include "core/crypto/rsa/private_key.hpp"
#include "core/crypto/sign.hpp"
#include "core/crypto/sign_es256.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// Only these are copied. `k` is all there is of an HMAC secret, and is copied for that key type only.
constexpr std::array<std::string_view, 9> public_members{"kty", "crv", "kid", "alg", "use", "x", "y", "n", "e"};

// A key with a member that is no text is refused, and stays so.
void copy_member(JsonWriter& writer, object jwk, std::string_view name) {
  const auto value = member(jwk, name);
  if (!value) return;
  writer.name(name);
  if (const auto text = string_of(*value)) {
    writer.string(*text);
  } else {
    writer.null();
  }
}

// The public half of a key that signs verifies. A key that is for something else stays so.
bool may_verify(object jwk) {
  const auto operations = member(jwk, "key_ops");
  if (!operations) return true;
  const auto list = array_of(*operations);
  const auto kty = member(jwk, "kty");
  const bool signs = has_private_members(jwk) && kty && string_of(*kty) != "oct";  // a secret has no public half
  return list && std::any_of(list->begin(), list->end(), [signs](element operation) {
           const auto name = string_of(operation);
           return name == "verify" || (signs && name == "sign");
         });
}

void copy_public_members(JsonWriter& writer, element value) {
  const auto jwk = object_of(value);
  if (!jwk) return;
  writer.begin_object();
  for (const std::string_view name : public_members) copy_member(writer, *jwk, name);
  if (!may_verify(*jwk)) writer.name("key_ops").begin_array().end_array();
  const auto kty = member(*jwk, "kty");
  if (kty && string_of(*kty) == "oct") copy_member(writer, *jwk, "k");
  writer.end_object();
}

void write_number(JsonWriter& writer, std::string_view name, std::span<const std::byte> bytes) {
  writer.name(name).string(base64url_encode(bytes));
}

void write_hmac_key(JsonWriter& writer, RandomSource& random) {
  std::array<std::byte, shortest_hmac_secret> secret;
  random.fill(secret);
  write_number(writer, "k", secret);
}

void write_ed25519_key(JsonWriter& writer, RandomSource& random) {
  Ed25519Seed seed;
  random.fill(seed);
  writer.name("crv").string("Ed25519");
  write_number(writer, "x", public_key_of(seed).point);
  write_number(writer, "d", seed);
}

void write_p256_key(JsonWriter& writer, RandomSource& random) {
  const P256PrivateKey key = make_p256_key(random);
  const P256PublicKey public_key = *public_key_of(key);
  const auto coordinates = std::span(public_key.point).subspan(1);
  writer.name("crv").string("P-256");
  write_number(writer, "x", coordinates.first(32));
  write_number(writer, "y", coordinates.last(32));
  write_number(writer, "d", key.scalar);
}

void write_rsa_key(JsonWriter& writer, RandomSource& random) {
  const RsaPrivateKey key = make_rsa_key(random);
  write_number(writer, "n", key.public_key.modulus);
  write_number(writer, "e", key.public_key.exponent);
  write_number(writer, "d", key.d);
  write_number(writer, "p", key.p);
  write_number(writer, "q", key.q);
  write_number(writer, "dp", key.dp);
  write_number(writer, "dq", key.dq);
  write_number(writer, "qi", key.qi);
}

// How the key of an algorithm is made.
struct KeyType {
  std::string_view kty;
  void (*write_members)(JsonWriter&, RandomSource&);
};

KeyType key_type_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::eddsa:
      return {"OKP", write_ed25519_key};
    case Algorithm::es256:
      return {"EC", write_p256_key};
    case Algorithm::rs256:
    case Algorithm::ps256:
      return {"RSA", write_rsa_key};
    case Algorithm::hs256:
      break;
  }
  return {"oct", write_hmac_key};
}

}  // namespace

std::string make_private_jwk(Algorithm algorithm, std::string_view kid, RandomSource& random) {
  const KeyType type = key_type_of(algorithm);
  std::string jwk;
  JsonWriter writer(jwk);
  writer.begin_object().name("kty").string(type.kty).name("kid").string(kid);
  writer.name("alg").string(name_of(algorithm)).name("use").string("sig");
  type.write_members(writer, random);
  writer.end_object();
  return jwk;
}

std::expected<std::string, std::string> verification_key_set(std::string_view json) {
  const auto document = parse_json(json, {.unique_names = true, .largest = largest_key_set});
  if (!document) return std::unexpected("not a JWK set: " + std::string(description(document.error())));
  const auto root = object_of(document->root());
  if (!root) return std::unexpected("not a JWK set: not a JSON object");
  std::string set;
  JsonWriter writer(set);
  writer.begin_object().name("keys").begin_array();
  const auto keys = member(*root, "keys");
  const auto jwks = keys ? array_of(*keys) : std::nullopt;
  if (jwks) {
    for (const element jwk : *jwks) copy_public_members(writer, jwk);
  } else if (!keys && member(*root, "kty")) {
    copy_public_members(writer, document->root());
  } else {
    return std::unexpected("not a JWK set: it has no \"keys\" array");
  }
  writer.end_array().end_object();
  return set;
}

}  // namespace portail
