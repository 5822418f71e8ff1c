#include "core/crypto/signatures.hpp"

#include <algorithm>
#include <array>

#include <bearssl.h>
#include <sodium.h>

#include "core/crypto/hash.hpp"
#include "core/crypto/public_key_operations.hpp"
#include "core/crypto/rsa/public_key.hpp"

namespace portail {

static_assert(sizeof(Ed25519PublicKey::point) == crypto_sign_PUBLICKEYBYTES);

bool is_valid_key(const Ed25519PublicKey& key) {
  return crypto_core_ed25519_is_valid_point(reinterpret_cast<const unsigned char*>(key.point.data())) == 1;
}

bool verify_eddsa(const Ed25519PublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  if (signature.size() != crypto_sign_BYTES) return false;
  return crypto_sign_verify_detached(reinterpret_cast<const unsigned char*>(signature.data()),
                                     reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                     reinterpret_cast<const unsigned char*>(key.point.data())) == 0;
}

namespace {

constexpr std::size_t signature_size = 64;

}  // namespace

bool is_valid_key(const P256PublicKey& key) {
  // BearSSL checks a point when it multiplies it; the multiplication by one is the shortest.
  auto point = key.point;
  constexpr unsigned char one = 1;
  return br_ec_p256_m31.mul(reinterpret_cast<unsigned char*>(point.data()), point.size(), &one, sizeof one,
                            BR_EC_secp256r1) == 1;
}

bool verify_es256(const P256PublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  if (signature.size() != signature_size) return false;
  return public_key_operations().verify_p256(key, sha256(std::as_bytes(std::span(message))),
                                             signature.first<signature_size>());
}

bool verify_hs256(const HmacSecret& secret, std::string_view message, std::span<const std::byte> signature) {
  const Hash32 expected = hmac_sha256(secret.bytes, message);
  return signature.size() == expected.size() && sodium_memcmp(signature.data(), expected.data(), expected.size()) == 0;
}

namespace {

// The DER of DigestInfo for SHA-256, up to the hash (RFC 8017 section 9.2, note 1).
constexpr std::array<unsigned char, 19> digest_info{0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                                    0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};

// EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): 00 01 FF … FF 00, DigestInfo, the hash.
void write_encoded(const Hash32& hash, std::span<std::byte> encoded) {
  std::ranges::fill(encoded, std::byte{0xff});
  encoded[0] = std::byte{0};
  encoded[1] = std::byte{1};
  const auto tail = encoded.last(1 + digest_info.size() + hash.size());
  tail[0] = std::byte{0};
  std::ranges::copy(std::as_bytes(std::span(digest_info)), tail.begin() + 1);
  std::ranges::copy(hash, tail.last(hash.size()).begin());
}

}  // namespace

bool verify_rs256(const RsaPublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  RsaBlock block;
  const auto found = rsa_public_operation(key, signature, block);
  if (found.empty()) return false;
  RsaBlock expected;
  const auto encoded = std::span(expected).first(found.size());
  write_encoded(sha256(std::as_bytes(std::span(message))), encoded);
  return std::ranges::equal(found, encoded);
}

bool verify_ps256(const RsaPublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  RsaBlock block;
  auto encoded = rsa_public_operation(key, signature, block);
  if (encoded.empty()) return false;
  const std::size_t bits = bit_length(key.modulus) - 1;
  // With a modulus of one bit more than whole bytes, the encoded message is a byte shorter.
  if (bits % 8 == 0) {
    if (encoded[0] != std::byte{0}) return false;
    encoded = encoded.subspan(1);
  }
  return is_emsa_pss_of(sha256(std::as_bytes(std::span(message))), encoded, bits);
}

}  // namespace portail
