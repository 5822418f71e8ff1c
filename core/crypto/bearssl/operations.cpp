#include "core/crypto/bearssl/operations.hpp"

#include <algorithm>
#include <vector>

#include <bearssl.h>

#include "core/crypto/rsa/octets.hpp"

namespace portail {
namespace {

bool verify_p256(const P256PublicKey& key, const Hash32& hash, std::span<const std::byte, 64> signature) {
  // BearSSL checks the other bounds of r and s.
  if (std::ranges::all_of(signature.first<32>(), [](std::byte byte) { return byte == std::byte{0}; })) return false;
  auto point = key.point;
  const br_ec_public_key public_key{BR_EC_secp256r1, reinterpret_cast<unsigned char*>(point.data()), point.size()};
  return br_ecdsa_i31_vrfy_raw(&br_ec_p256_m31, hash.data(), hash.size(), &public_key, signature.data(),
                               signature.size()) == 1;
}

bool rsa_power(const RsaPublicKey& key, std::span<std::byte> number) {
  const br_rsa_public_key public_key{octets(key.modulus), key.modulus.size(), octets(key.exponent),
                                     key.exponent.size()};
  return br_rsa_i31_public(reinterpret_cast<unsigned char*>(number.data()), number.size(), &public_key) == 1;
}

constexpr PublicKeyOperations operations{.verify_p256 = verify_p256, .rsa_power = rsa_power};

}  // namespace

const PublicKeyOperations& bearssl_operations() { return operations; }

}  // namespace portail
