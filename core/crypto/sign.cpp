#include "core/crypto/sign.hpp"

#include <sodium.h>

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

}  // namespace portail
