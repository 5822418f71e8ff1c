#include "core/auth/token_maker.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/auth/base64url.hpp"
#include "core/auth/jwk.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using Secret = std::expected<decltype(SigningKey::secret), std::string_view>;

std::optional<std::string_view> text_member(object jwk, std::string_view name) {
  const auto found = member(jwk, name);
  return found ? string_of(*found) : std::nullopt;
}

// The 32 bytes of the member `d`.
std::expected<std::array<std::byte, 32>, std::string_view> read_d(object jwk) {
  const auto text = text_member(jwk, "d");
  if (!text) return std::unexpected("it has no private member d");
  std::array<std::byte, 32> d;
  const auto bytes = base64url_decode(*text, d);
  if (!bytes || bytes->size() != d.size()) return std::unexpected("its d is not 32 bytes in base64url");
  return d;
}

Secret read_rsa_secret(object jwk, Algorithm algorithm, const RsaPublicKey& public_key) {
  RsaSigningKey signing{algorithm, {.public_key = public_key, .d = {}, .p = {}, .q = {}, .dp = {}, .dq = {}, .qi = {}}};
  RsaPrivateKey& key = signing.key;
  const std::array<std::pair<std::string_view, std::vector<std::byte>*>, 6> members{
      {{"d", &key.d}, {"p", &key.p}, {"q", &key.q}, {"dp", &key.dp}, {"dq", &key.dq}, {"qi", &key.qi}}};
  for (const auto& [name, number] : members) {
    const auto text = text_member(jwk, name);
    const auto bytes = text ? base64url_decode(*text) : std::nullopt;
    if (!bytes) return std::unexpected("it lacks one of the private members d, p, q, dp, dq, qi");
    const auto octets = std::as_bytes(std::span(*bytes));
    number->assign(octets.begin(), octets.end());
  }
  return signing;
}

Secret read_secret(object jwk, const VerificationKey& key) {
  if (const auto* hmac = std::get_if<HmacSecret>(&key.material)) return *hmac;
  if (const auto* rsa = std::get_if<RsaPublicKey>(&key.material)) return read_rsa_secret(jwk, key.algorithm, *rsa);
  const auto d = read_d(jwk);
  if (!d) return std::unexpected(d.error());
  if (key.algorithm == Algorithm::es256) return P256PrivateKey{*d};
  return *d;
}

// The signature in base64url; empty where the secret's numbers cannot be computed with.
struct Signer {
  std::string_view input;

  std::string operator()(const Ed25519Seed& seed) const { return base64url_encode(sign_eddsa(seed, input)); }
  std::string operator()(const HmacSecret& secret) const { return base64url_encode(sign_hs256(secret, input)); }
  std::string operator()(const P256PrivateKey& key) const {
    const auto signature = sign_es256(key, input);
    return signature ? base64url_encode(*signature) : "";
  }
  std::string operator()(const RsaSigningKey& rsa) const {
    const auto signature = rsa.algorithm == Algorithm::ps256 ? sign_ps256(rsa.key, input) : sign_rs256(rsa.key, input);
    return signature ? base64url_encode(*signature) : "";
  }
};

// Whether what the secret signs is what the public members verify.
bool belong_together(const decltype(SigningKey::secret)& secret, const VerificationKey& key) {
  constexpr std::string_view probe = "do they belong together?";
  const auto signature = base64url_decode(std::visit(Signer{probe}, secret));
  return signature && verify(key.algorithm, key.material, probe, std::as_bytes(std::span(*signature)));
}

std::expected<SigningKey, std::string_view> read_signing_key(object jwk) {
  const auto key = read_jwk(jwk);
  if (!key) return std::unexpected(key.error());
  auto secret = read_secret(jwk, *key);
  if (!secret) return std::unexpected(secret.error());
  if (!belong_together(*secret, *key)) return std::unexpected("its private members are not those of its public ones");
  return SigningKey{key->kid, std::move(*secret)};
}

}  // namespace

Algorithm SigningKey::algorithm() const {
  if (std::holds_alternative<HmacSecret>(secret)) return Algorithm::hs256;
  if (std::holds_alternative<P256PrivateKey>(secret)) return Algorithm::es256;
  if (const auto* rsa = std::get_if<RsaSigningKey>(&secret)) return rsa->algorithm;
  return Algorithm::eddsa;
}

std::expected<SigningKey, std::string> load_signing_key(std::string_view json, std::string_view kid) {
  const auto document = parse_json(json, {.unique_names = true, .largest = largest_key_set});
  if (!document) return std::unexpected("not a private key: " + std::string(description(document.error())));
  const auto root = object_of(document->root());
  if (!root) return std::unexpected("not a private key: not a JSON object");

  std::string why = "there is none";
  const auto try_key = [&](element candidate) -> std::optional<SigningKey> {
    const auto jwk = object_of(candidate);
    if (!jwk || (!kid.empty() && kid_of(*jwk) != kid)) return std::nullopt;
    auto key = read_signing_key(*jwk);
    if (key) return std::move(*key);
    why = key.error();
    return std::nullopt;
  };
  if (const auto keys = member(*root, "keys")) {
    if (const auto jwks = array_of(*keys)) {
      for (const element jwk : *jwks) {
        if (auto key = try_key(jwk)) return std::move(*key);
      }
    }
  } else if (auto key = try_key(document->root())) {
    return std::move(*key);
  }
  return std::unexpected("no key that can sign: " + why);
}

std::string make_token(const SigningKey& key, std::string_view header, std::string_view claims) {
  std::string token = base64url_encode(header) + '.' + base64url_encode(claims);
  const std::string signature = std::visit(Signer{token}, key.secret);
  return token + '.' + signature;
}

std::string make_token(const SigningKey& key, std::string_view claims) {
  std::string header;
  JsonWriter writer(header);
  writer.begin_object().name("alg").string(name_of(key.algorithm()));
  if (!key.kid.empty()) writer.name("kid").string(key.kid);
  writer.name("typ").string("at+jwt").end_object();
  return make_token(key, header, claims);
}

}  // namespace portail
