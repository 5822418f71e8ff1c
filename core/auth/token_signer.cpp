#include "core/auth/token_signer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/auth/jwk.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

template <class Secret>
using ReadSecret = std::expected<Secret, std::string_view>;

void write_number(JsonWriter& writer, std::string_view name, std::span<const std::byte> bytes) {
  writer.name(name).string(base64url_encode(bytes));
}

void write_hmac_key(JsonWriter& writer, RandomSource& random) {
  std::array<std::byte, min_hmac_secret_size> secret;
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
  const P256PrivateKey key = generate_p256_key(random);
  const P256PublicKey public_key = *public_key_of(key);
  const auto coordinates = std::span(public_key.point).subspan(1);
  writer.name("crv").string("P-256");
  write_number(writer, "x", coordinates.first(32));
  write_number(writer, "y", coordinates.last(32));
  write_number(writer, "d", key.scalar);
}

void write_rsa_key(JsonWriter& writer, RandomSource& random) {
  const RsaPrivateKey key = generate_rsa_key(random);
  write_number(writer, "n", key.public_key.modulus);
  write_number(writer, "e", key.public_key.exponent);
  write_number(writer, "d", key.d);
  write_number(writer, "p", key.p);
  write_number(writer, "q", key.q);
  write_number(writer, "dp", key.dp);
  write_number(writer, "dq", key.dq);
  write_number(writer, "qi", key.qi);
}

// Returns the 32 bytes of the member `d`.
std::expected<std::array<std::byte, 32>, std::string_view> read_d(JsonObject jwk) {
  const auto text = string_member(jwk, "d");
  if (!text) return std::unexpected("it has no private member d");
  std::array<std::byte, 32> d;
  const auto bytes = base64url_decode(*text, d);
  if (!bytes || bytes->size() != d.size()) return std::unexpected("its d is not 32 bytes in base64url");
  return d;
}

ReadSecret<Ed25519Seed> read_ed25519_seed(JsonObject jwk, const KeyMaterial&) { return read_d(jwk); }

ReadSecret<P256PrivateKey> read_p256_scalar(JsonObject jwk, const KeyMaterial&) {
  return read_d(jwk).transform([](const auto& d) { return P256PrivateKey{d}; });
}

ReadSecret<HmacSecret> read_secret(JsonObject, const KeyMaterial& material) {
  return *std::get_if<HmacSecret>(&material);
}

ReadSecret<RsaPrivateKey> read_rsa_numbers(JsonObject jwk, const KeyMaterial& material) {
  RsaPrivateKey key{
      .public_key = *std::get_if<RsaPublicKey>(&material), .d = {}, .p = {}, .q = {}, .dp = {}, .dq = {}, .qi = {}};
  const std::array<std::pair<std::string_view, std::vector<std::byte>*>, 6> members{
      {{"d", &key.d}, {"p", &key.p}, {"q", &key.q}, {"dp", &key.dp}, {"dq", &key.dq}, {"qi", &key.qi}}};
  for (const auto& [name, number] : members) {
    const auto text = string_member(jwk, name);
    const auto bytes = text ? base64url_decode(*text) : std::nullopt;
    if (!bytes) return std::unexpected("it lacks one of the private members d, p, q, dp, dq, qi");
    const auto octets = std::as_bytes(std::span(*bytes));
    number->assign(octets.begin(), octets.end());
  }
  return key;
}

template <class Signature>
std::string encoded(const std::optional<Signature>& signature) {
  return signature ? base64url_encode(std::span<const std::byte>(*signature)) : "";
}
template <std::size_t size>
std::string encoded(const std::array<std::byte, size>& signature) {
  return base64url_encode(signature);
}

// Builds the row of an algorithm from the functions of its kind of key. The secrets must be of one kind, or the row
// does not compile.
template <auto write_new_key, auto read, auto sign>
consteval SigningAlgorithm signing_row(std::string_view name) {
  using Secret = std::invoke_result_t<decltype(read), JsonObject, const KeyMaterial&>::value_type;
  return {
      .name = name,
      .write_new_key = write_new_key,
      .read_secret = [](JsonObject jwk, const KeyMaterial& material) -> std::expected<SigningSecret, std::string_view> {
        return read(jwk, material);
      },
      .sign =
          [](const SigningSecret& secret, std::string_view message) {
            const auto* key = std::get_if<Secret>(&secret);
            return key ? encoded(sign(*key, message)) : std::string();
          }};
}

constexpr std::array signing_rows{
    signing_row<write_ed25519_key, read_ed25519_seed, sign_eddsa>("EdDSA"),
    signing_row<write_p256_key, read_p256_scalar, sign_es256>("ES256"),
    signing_row<write_rsa_key, read_rsa_numbers, sign_rs256>("RS256"),
    signing_row<write_rsa_key, read_rsa_numbers, sign_ps256>("PS256"),
    signing_row<write_hmac_key, read_secret, sign_hs256>("HS256"),
};

}  // namespace

std::span<const SigningAlgorithm> signing_algorithms() { return signing_rows; }

const SigningAlgorithm* signing_algorithm_named(std::string_view name) {
  const auto found = std::ranges::find(signing_algorithms(), name, &SigningAlgorithm::name);
  return found == signing_algorithms().end() ? nullptr : &*found;
}

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
