#include "core/crypto/hs256.hpp"

#include <sodium.h>

#include "core/crypto/hash.hpp"

namespace portail {

bool verify_hs256(const HmacSecret& secret, std::string_view message, std::span<const std::byte> signature) {
  const Hash32 expected = hmac_sha256(secret.bytes, message);
  return signature.size() == expected.size() && sodium_memcmp(signature.data(), expected.data(), expected.size()) == 0;
}

}  // namespace portail
