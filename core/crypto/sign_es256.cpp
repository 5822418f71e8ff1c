#include "core/crypto/sign_es256.hpp"

#include <span>

#include <bearssl.h>

#include "core/crypto/bearssl_random.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
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
