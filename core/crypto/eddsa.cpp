#include "core/crypto/eddsa.hpp"

#include <sodium.h>

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

}  // namespace portail
