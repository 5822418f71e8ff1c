#include "core/auth/key_generator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/auth/algorithms.hpp"
#include "core/auth/jwk.hpp"
#include "core/auth/key_set.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

// Only these members are copied. `k`, the secret of HMAC, is copied for that key type only.
constexpr auto public_members =
    std::to_array<std::string_view>({"kty", "crv", "kid", "alg", "use", "x", "y", "n", "e"});

// Copies a string member. Any other value becomes false, so that a refused key stays refused.
void copy_member(JsonWriter& writer, JsonObject jwk, std::string_view name) {
  const auto value = filled_member(jwk, name);
  if (!value) return;
  writer.name(name);
  if (const auto text = string_of(*value)) {
    writer.string(*text);
  } else {
    writer.boolean(false);
  }
}

// Returns whether the public half may verify: its key_ops contain "verify", or "sign" for a private key.
bool may_verify(JsonObject jwk) {
  const auto operations = filled_member(jwk, "key_ops");
  if (!operations) return true;
  const auto list = array_of(*operations);
  const auto kty = string_member(jwk, "kty");
  const bool signs = has_private_members(jwk) && kty && kty != "oct";  // an HMAC secret has no public half
  return list && std::any_of(list->begin(), list->end(), [signs](JsonValue operation) {
           const auto name = string_of(operation);
           return name == "verify" || (signs && name == "sign");
         });
}

void copy_public_members(JsonWriter& writer, JsonValue value) {
  const auto jwk = object_of(value);
  if (!jwk) return;
  writer.begin_object();
  for (const std::string_view name : public_members) copy_member(writer, *jwk, name);
  if (!may_verify(*jwk)) writer.name("key_ops").boolean(false);
  if (string_member(*jwk, "kty") == "oct") copy_member(writer, *jwk, "k");
  writer.end_object();
}

}  // namespace

std::string generate_private_jwk(const SigningAlgorithm& algorithm, std::string_view kid, RandomSource& random) {
  std::string jwk;
  JsonWriter writer(jwk);
  writer.begin_object().name("kty").string(algorithm_named(algorithm.name)->kty).name("kid").string(kid);
  writer.name("alg").string(algorithm.name).name("use").string("sig");
  algorithm.write_new_key(writer, random);
  writer.end_object();
  return jwk;
}

std::expected<std::string, std::string> verification_key_set(std::string_view json) {
  const auto parsed = parse_keys(json);
  if (!parsed) return std::unexpected("not a JWK set: " + std::string(parsed.error()));
  const auto root = object_of(parsed->document.root());
  if (!root) return std::unexpected("not a JWK set: not a JSON object");
  if (!parsed->faults.empty()) {
    const auto& [index, fault] = parsed->faults.front();
    return std::unexpected(describe({index, {}, std::string(description(fault))}));
  }
  std::string set;
  JsonWriter writer(set);
  writer.begin_object().name("keys").begin_array();
  const auto keys = member(*root, "keys");
  const auto jwks = keys ? array_of(*keys) : std::nullopt;
  if (jwks) {
    std::size_t index = 0;
    for (const JsonValue jwk : *jwks) {
      const auto members = object_of(jwk);
      if (auto fault = members ? repeated_member_fault(*members) : std::nullopt) {
        return std::unexpected(describe({index, {}, std::move(*fault)}));
      }
      copy_public_members(writer, jwk);
      ++index;
    }
  } else if (!keys && member(*root, "kty")) {
    copy_public_members(writer, parsed->document.root());
  } else {
    return std::unexpected("not a JWK set: " + std::string(no_keys));
  }
  writer.end_array().end_object();
  return set;
}

}  // namespace portail
