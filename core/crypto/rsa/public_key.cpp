#include "core/crypto/rsa/public_key.hpp"

#include <algorithm>
#include <bit>

#include <bearssl.h>

#include "core/crypto/rsa/octets.hpp"

namespace portail {

std::size_t bit_length(std::span<const std::byte> number) {
  if (number.empty()) return 0;
  return 8 * (number.size() - 1) + static_cast<std::size_t>(std::bit_width(std::to_integer<unsigned>(number[0])));
}

std::span<std::byte> rsa_public_operation(const RsaPublicKey& key, std::span<const std::byte> signature,
                                          RsaBlock& block) {
  if (signature.size() != key.modulus.size() || signature.size() > block.size()) return {};
  std::ranges::copy(signature, block.begin());
  const br_rsa_public_key public_key{octets(key.modulus), key.modulus.size(), octets(key.exponent),
                                     key.exponent.size()};
  if (br_rsa_i31_public(reinterpret_cast<unsigned char*>(block.data()), signature.size(), &public_key) != 1) return {};
  return std::span(block).first(signature.size());
}

}  // namespace portail
