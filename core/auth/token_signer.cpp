#include "core/auth/token_signer.hpp"

#include <optional>
#include <span>
#include <utility>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/auth/jwk.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

// Returns whether the public members verify a signature of the secret.
bool keys_match(const SigningKey& key, const VerificationKey& verifying) {
  constexpr std::string_view probe = "do they belong together?";
  const auto signature = base64url_decode(key.algorithm->sign(key.secret, probe));
  return signature && verifying.algorithm->verify(verifying.material, probe, std::as_bytes(std::span(*signature)));
}

std::expected<SigningKey, std::string> read_signing_key(JsonObject jwk) {
  const auto verifying = read_jwk(jwk);
  if (!verifying) return std::unexpected(verifying.error());
  const SigningAlgorithm* algorithm = signing_algorithm_named(verifying->algorithm->name);
  if (!algorithm) return std::unexpected("its algorithm is not supported for signing");
  auto secret = algorithm->read_secret(jwk, verifying->material);
  if (!secret) return std::unexpected(std::string(secret.error()));
  SigningKey key{verifying->kid, algorithm, std::move(*secret)};
  if (!keys_match(key, *verifying)) {
    return std::unexpected("its private members do not match its public members");
  }
  return key;
}

// `type` is omitted if it is empty.
std::string header_of(const SigningKey& key, std::string_view type) {
  std::string header;
  JsonWriter writer(header);
  writer.begin_object().name("alg").string(key.algorithm->name);
  if (!key.kid.empty()) writer.name("kid").string(key.kid);
  if (!type.empty()) writer.name("typ").string(type);
  writer.end_object();
  return header;
}

}  // namespace

std::expected<SigningKey, std::string> load_signing_key(std::string_view json, std::string_view kid) {
  const auto parsed = parse_keys(json);
  if (!parsed) return std::unexpected("not a private key: " + std::string(parsed.error()));
  const auto root = object_of(parsed->document.root());
  if (!root) return std::unexpected("not a private key: not a JSON object");

  std::string reason = kid.empty() ? "the set is empty" : "no key has this id";
  const auto try_key = [&](JsonValue candidate) -> std::optional<SigningKey> {
    const auto jwk = object_of(candidate);
    if (!jwk || (!kid.empty() && kid_of(*jwk) != kid)) return std::nullopt;
    auto key = read_signing_key(*jwk);
    if (key) return std::move(*key);
    reason = key.error();
    return std::nullopt;
  };
  if (const auto keys = member(*root, "keys")) {
    if (const auto jwks = array_of(*keys)) {
      for (const JsonValue jwk : *jwks) {
        if (auto key = try_key(jwk)) return std::move(*key);
      }
    }
  } else if (auto key = try_key(parsed->document.root())) {
    return std::move(*key);
  }
  return std::unexpected("no key that can sign: " + reason);
}

std::string sign_token(const SigningKey& key, std::string_view header, std::string_view claims) {
  std::string token = base64url_encode(header) + '.' + base64url_encode(claims);
  const std::string signature = key.algorithm->sign(key.secret, token);
  return token + '.' + signature;
}

std::string sign_token(const SigningKey& key, std::string_view claims) {
  return sign_token(key, header_of(key, "at+jwt"), claims);
}

std::string sign_text(const SigningKey& key, std::string_view text) {
  return sign_token(key, header_of(key, {}), text);
}

}  // namespace portail
