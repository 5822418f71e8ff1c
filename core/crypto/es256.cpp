#include "core/crypto/es256.hpp"

#include <bearssl.h>

#include "core/crypto/hash.hpp"
#include "core/crypto/public_key_operations.hpp"

namespace portail {
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

}  // namespace portail
