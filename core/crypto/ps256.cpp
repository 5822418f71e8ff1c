#include "core/crypto/ps256.hpp"

#include "core/crypto/hash.hpp"
#include "core/crypto/rsa/emsa_pss.hpp"

namespace portail {

bool verify_ps256(const RsaPublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  RsaBlock block;
  auto encoded = rsa_public_operation(key, signature, block);
  if (encoded.empty()) return false;
  const std::size_t bits = bit_length(key.modulus) - 1;
  // With a modulus of one bit more than whole bytes, the encoded message is a byte shorter.
  if (bits % 8 == 0) {
    if (encoded[0] != std::byte{0}) return false;
    encoded = encoded.subspan(1);
  }
  return is_emsa_pss_of(sha256(std::as_bytes(std::span(message))), encoded, bits);
}

}  // namespace portail
