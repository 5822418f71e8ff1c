#include "core/crypto/rsa/private_key.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <bearssl.h>

#include "core/crypto/bearssl_random.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/rsa/octets.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {
namespace {

constexpr unsigned generated_key_bits = 2048;
constexpr std::uint32_t generated_key_exponent = 65537;

// Valid as long as `key`.
br_rsa_private_key view_of(const RsaPrivateKey& key) {
  return {static_cast<std::uint32_t>(bit_length(key.public_key.modulus)),
          octets(key.p),
          key.p.size(),
          octets(key.q),
          key.q.size(),
          octets(key.dp),
          key.dp.size(),
          octets(key.dq),
          key.dq.size(),
          octets(key.qi),
          key.qi.size()};
}

std::vector<std::byte> number(const unsigned char* bytes, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  const auto* last = first + size;
  return {std::find_if(first, last, [](std::byte byte) { return byte != std::byte{0}; }), last};
}

// Returns whether the numbers fit in BearSSL's working memory, which is for factors of half the maximum modulus.
bool has_valid_sizes(const RsaPrivateKey& key) {
  const std::size_t half = (key.public_key.modulus.size() + 1) / 2;
  return std::ranges::all_of(std::array{&key.p, &key.q, &key.dp, &key.dq, &key.qi},
                             [half](const auto* part) { return !part->empty() && part->size() <= half; });
}

}  // namespace

RsaPrivateKey generate_rsa_key(RandomSource& random) {
  std::array<unsigned char, BR_RSA_KBUF_PRIV_SIZE(generated_key_bits)> private_bytes;
  std::array<unsigned char, BR_RSA_KBUF_PUB_SIZE(generated_key_bits)> public_bytes;
  br_rsa_private_key generated;
  br_rsa_public_key generated_public;
  BearSslRandom bearssl_random(random);
  br_rsa_i31_keygen(bearssl_random.generator(), &generated, private_bytes.data(), &generated_public,
                    public_bytes.data(), generated_key_bits, generated_key_exponent);
  std::array<unsigned char, generated_key_bits / 8> d;
  const std::size_t d_size = br_rsa_i31_compute_privexp(d.data(), &generated, generated_key_exponent);
  return {.public_key = {number(generated_public.n, generated_public.nlen),
                         number(generated_public.e, generated_public.elen)},
          .d = number(d.data(), d_size),
          .p = number(generated.p, generated.plen),
          .q = number(generated.q, generated.qlen),
          .dp = number(generated.dp, generated.dplen),
          .dq = number(generated.dq, generated.dqlen),
          .qi = number(generated.iq, generated.iqlen)};
}

std::optional<std::vector<std::byte>> sign_rs256(const RsaPrivateKey& key, std::string_view message) {
  if (!has_valid_sizes(key)) return std::nullopt;
  const br_rsa_private_key private_key = view_of(key);
  const Hash32 hash = sha256(std::as_bytes(std::span(message)));
  std::vector<std::byte> signature(key.public_key.modulus.size());
  if (br_rsa_i31_pkcs1_sign(BR_HASH_OID_SHA256, reinterpret_cast<const unsigned char*>(hash.data()), hash.size(),
                            &private_key, reinterpret_cast<unsigned char*>(signature.data())) != 1) {
    return std::nullopt;
  }
  return signature;
}

std::optional<std::vector<std::byte>> sign_ps256(const RsaPrivateKey& key, std::string_view message) {
  if (!has_valid_sizes(key)) return std::nullopt;
  const br_rsa_private_key private_key = view_of(key);
  std::vector<std::byte> signature(key.public_key.modulus.size());
  const std::size_t bits = bit_length(key.public_key.modulus) - 1;
  write_emsa_pss(sha256(std::as_bytes(std::span(message))), hmac_sha256(key.p, message),
                 std::span(signature).last((bits + 7) / 8), bits);
  if (br_rsa_i31_private(reinterpret_cast<unsigned char*>(signature.data()), &private_key) != 1) return std::nullopt;
  return signature;
}

}  // namespace portail
