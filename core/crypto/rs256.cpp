#include "core/crypto/rs256.hpp"

#include <algorithm>
#include <array>

#include "core/crypto/hash.hpp"

namespace portail {
namespace {

// The DER of DigestInfo for SHA-256, up to the hash (RFC 8017 section 9.2, note 1).
constexpr std::array<unsigned char, 19> digest_info{0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                                    0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};

// EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): 00 01 FF … FF 00, DigestInfo, the hash.
void write_encoded(const Hash32& hash, std::span<std::byte> encoded) {
  std::ranges::fill(encoded, std::byte{0xff});
  encoded[0] = std::byte{0};
  encoded[1] = std::byte{1};
  const auto tail = encoded.last(1 + digest_info.size() + hash.size());
  tail[0] = std::byte{0};
  std::ranges::copy(std::as_bytes(std::span(digest_info)), tail.begin() + 1);
  std::ranges::copy(hash, tail.last(hash.size()).begin());
}

}  // namespace

bool verify_rs256(const RsaPublicKey& key, std::string_view message, std::span<const std::byte> signature) {
  RsaBlock block;
  const auto found = rsa_public_operation(key, signature, block);
  if (found.empty()) return false;
  RsaBlock expected;
  const auto encoded = std::span(expected).first(found.size());
  write_encoded(sha256(std::as_bytes(std::span(message))), encoded);
  return std::ranges::equal(found, encoded);
}

}  // namespace portail
