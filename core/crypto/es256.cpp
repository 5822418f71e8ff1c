#include "core/crypto/es256.hpp"

#include <algorithm>

#include <bearssl.h>

#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::size_t scalar_size = 32;

}  // namespace

bool is_sound(const P256PublicKey& key) {
  // BearSSL checks a point where it multiplies it; by one is the shortest.
  auto point = key.point;
  constexpr unsigned char one = 1;
  return br_ec_p256_m31.mul(reinterpret_cast<unsigned char*>(point.data()), point.size(), &one, sizeof one,
                            BR_EC_secp256r1) == 1;
}

bool verify_es256(const P256PublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  if (signature.size() != 2 * scalar_size) return false;
  // BearSSL looks after the other bounds of r and s.
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (std::ranges::all_of(signature.first(scalar_size), is_zero)) return false;

  auto point = key.point;
  const br_ec_public_key public_key{BR_EC_secp256r1, reinterpret_cast<unsigned char*>(point.data()), point.size()};
  const Hash32 hash = sha256(std::as_bytes(std::span(message)));
  return br_ecdsa_i31_vrfy_raw(&br_ec_p256_m31, hash.data(), hash.size(), &public_key, signature.data(),
                               signature.size()) == 1;
}

}  // namespace portail
