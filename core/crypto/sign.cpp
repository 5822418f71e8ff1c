#include "core/crypto/sign.hpp"

#include <span>

#include <bearssl.h>
#include <sodium.h>

#include "core/crypto/bearssl_random.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

// libsodium's key pair of a seed; the destructor wipes the secret half.
struct KeyPair {
  explicit KeyPair(const Ed25519Seed& seed) {
    crypto_sign_seed_keypair(public_half.data(), secret_half.data(),
                             reinterpret_cast<const unsigned char*>(seed.data()));
  }
  KeyPair(const KeyPair&) = delete;
  KeyPair& operator=(const KeyPair&) = delete;
  ~KeyPair() { sodium_memzero(secret_half.data(), secret_half.size()); }

  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> public_half;
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret_half;
};

}  // namespace

Ed25519PublicKey public_key_of(const Ed25519Seed& seed) {
  const KeyPair pair(seed);
  Ed25519PublicKey key;
  for (std::size_t i = 0; i < key.point.size(); ++i) key.point[i] = std::byte{pair.public_half[i]};
  return key;
}

Ed25519Signature sign_eddsa(const Ed25519Seed& seed, std::string_view message) {
  const KeyPair pair(seed);
  Ed25519Signature signature;
  crypto_sign_detached(reinterpret_cast<unsigned char*>(signature.data()), nullptr,
                       reinterpret_cast<const unsigned char*>(message.data()), message.size(), pair.secret_half.data());
  return signature;
}

Hash32 sign_hs256(const HmacSecret& secret, std::string_view message) { return hmac_sha256(secret.bytes, message); }

namespace {

// Valid as long as `key`, which BearSSL only reads.
br_ec_private_key view_of(const P256PrivateKey& key) {
  auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(key.scalar.data()));
  return {BR_EC_secp256r1, bytes, key.scalar.size()};
}

}  // namespace

P256PrivateKey generate_p256_key(RandomSource& random) {
  P256PrivateKey key;
  BearSslRandom bearssl_random(random);
  br_ec_keygen(bearssl_random.generator(), &br_ec_p256_m31, nullptr, key.scalar.data(), BR_EC_secp256r1);
  return key;
}

std::optional<P256PublicKey> public_key_of(const P256PrivateKey& key) {
  // BearSSL computes a point from any scalar; it checks the scalar only when it signs.
  if (!sign_es256(key, {})) return std::nullopt;
  const br_ec_private_key private_key = view_of(key);
  P256PublicKey public_key;
  br_ec_compute_pub(&br_ec_p256_m31, nullptr, public_key.point.data(), &private_key);
  return public_key;
}

std::optional<P256Signature> sign_es256(const P256PrivateKey& key, std::string_view message) {
  const br_ec_private_key private_key = view_of(key);
  const Hash32 hash = sha256(std::as_bytes(std::span(message)));
  P256Signature signature;
  if (br_ecdsa_i31_sign_raw(&br_ec_p256_m31, &br_sha256_vtable, hash.data(), &private_key, signature.data()) !=
      signature.size()) {
    return std::nullopt;
  }
  return signature;
}

}  // namespace portail
