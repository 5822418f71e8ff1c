#include "core/crypto/rsa/public_key.hpp"

#include <algorithm>
#include <bit>

#include "core/crypto/public_key_operations.hpp"

namespace portail {

std::size_t bit_length(std::span<const std::byte> number) {
  if (number.empty()) return 0;
  return 8 * (number.size() - 1) + static_cast<std::size_t>(std::bit_width(std::to_integer<unsigned>(number[0])));
}

std::span<std::byte> rsa_public_operation(const RsaPublicKey& key, std::span<const std::byte> signature,
                                          RsaBlock& block) {
  if (signature.size() != key.modulus.size() || signature.size() > block.size()) return {};
  std::ranges::copy(signature, block.begin());
  const auto number = std::span(block).first(signature.size());
  if (!public_key_operations().rsa_power(key, number)) return {};
  return number;
}

}  // namespace portail
