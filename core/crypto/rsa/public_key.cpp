#include "core/crypto/rsa/public_key.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/crypto/public_key_operations.hpp"

namespace portail {
namespace {

constexpr std::size_t hash_size = sizeof(Hash32);
constexpr std::size_t salt_size = hash_size;
constexpr std::byte before_salt{0x01};
constexpr std::byte trailer{0xbc};

// The three parts of an encoded message (RFC 8017 figure 2).
struct Parts {
  explicit Parts(std::span<std::byte> encoded)
      : data_block(encoded.first(encoded.size() - hash_size - 1)),
        hash(encoded.subspan(data_block.size(), hash_size)),
        last(encoded.back()) {}

  std::span<std::byte> data_block;  // zeros, 01, the salt; masked
  std::span<std::byte> hash;
  std::byte& last;
};

// The bits of the first byte that the encoding may use: all, or fewer where `bits` is not whole bytes.
std::byte first_byte_mask(std::size_t size, std::size_t bits) { return std::byte{0xff} >> (8 * size - bits); }

// MGF1 (RFC 8017 appendix B.2.1), applied to `bytes`.
void mask(std::span<std::byte> bytes, std::span<const std::byte> seed) {
  std::array<std::byte, hash_size + 4> input;
  std::ranges::copy(seed, input.begin());
  std::uint32_t counter = 0;
  for (std::size_t done = 0; done < bytes.size(); ++counter) {
    for (std::size_t i = 0; i < 4; ++i) input[hash_size + i] = static_cast<std::byte>(counter >> (24 - 8 * i) & 0xffU);
    const Hash32 pad = sha256(input);
    for (std::size_t i = 0; i < pad.size() && done < bytes.size(); ++i) bytes[done++] ^= pad[i];
  }
}

// H of RFC 8017 section 9.1.1 step 6: over eight zeros, the message's hash, the salt.
Hash32 salted_hash(const Hash32& message_hash, std::span<const std::byte> salt) {
  std::array<std::byte, 8 + hash_size + salt_size> input{};
  std::ranges::copy(message_hash, input.begin() + 8);
  std::ranges::copy(salt, input.begin() + 8 + hash_size);
  return sha256(input);
}

}  // namespace

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

bool is_emsa_pss_of(const Hash32& message_hash, std::span<std::byte> encoded, std::size_t bits) {
  const Parts parts(encoded);
  const std::byte used = first_byte_mask(encoded.size(), bits);
  if (parts.last != trailer || (encoded[0] & ~used) != std::byte{0}) return false;
  mask(parts.data_block, parts.hash);
  parts.data_block[0] &= used;
  const auto zeros = parts.data_block.first(parts.data_block.size() - salt_size - 1);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!std::ranges::all_of(zeros, is_zero) || parts.data_block[zeros.size()] != before_salt) return false;
  return std::ranges::equal(salted_hash(message_hash, parts.data_block.last(salt_size)), parts.hash);
}

void write_emsa_pss(const Hash32& message_hash, const Hash32& salt, std::span<std::byte> encoded, std::size_t bits) {
  const Parts parts(encoded);
  std::ranges::fill(encoded, std::byte{0});
  std::ranges::copy(salted_hash(message_hash, salt), parts.hash.begin());
  std::ranges::copy(salt, parts.data_block.last(salt_size).begin());
  parts.data_block[parts.data_block.size() - salt_size - 1] = before_salt;
  parts.last = trailer;
  mask(parts.data_block, parts.hash);
  parts.data_block[0] &= first_byte_mask(encoded.size(), bits);
}

}  // namespace portail
