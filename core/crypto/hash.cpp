#include "core/crypto/hash.hpp"

#include <cstring>
#include <span>

#include <sodium.h>

#include "core/base/text.hpp"

namespace portail {
namespace {

unsigned char* writable(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

// libsodium needs a pointer that is not null, also for no bytes.
const unsigned char* readable(const void* bytes) {
  static constexpr unsigned char none = 0;
  return bytes ? static_cast<const unsigned char*>(bytes) : &none;
}

// libsodium's state needs vector alignment, which a Blake2b in a coroutine's frame does not have. Each call therefore
// uses a copy.
template <std::size_t size>
crypto_generichash_state loaded(const std::array<std::byte, size>& bytes) {
  crypto_generichash_state state;
  std::memcpy(&state, bytes.data(), sizeof state);
  return state;
}

}  // namespace

Blake2b::Blake2b() {
  static_assert(sizeof(crypto_generichash_state) <= sizeof(state_));
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sizeof(Hash16));
  std::memcpy(state_.data(), &state, sizeof state);
}

void Blake2b::update(std::string_view bytes) {
  crypto_generichash_state state = loaded(state_);
  crypto_generichash_update(&state, readable(bytes.data()), bytes.size());
  std::memcpy(state_.data(), &state, sizeof state);
}

Hash16 Blake2b::finish() {
  crypto_generichash_state state = loaded(state_);
  Hash16 hash;
  crypto_generichash_final(&state, writable(hash.data()), hash.size());
  return hash;
}

Hash16 blake2b(std::string_view bytes) {
  Hash16 hash;
  crypto_generichash(writable(hash.data()), hash.size(), readable(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

Hash32 sha256(std::span<const std::byte> bytes) {
  Hash32 hash;
  crypto_hash_sha256(writable(hash.data()), readable(bytes.data()), bytes.size());
  return hash;
}

Hash32 keyed_blake2b(const Hash32& key, std::string_view bytes) {
  Hash32 hash;
  crypto_generichash(writable(hash.data()), hash.size(), readable(bytes.data()), bytes.size(), readable(key.data()),
                     key.size());
  return hash;
}

Hash32 hmac_sha256(std::span<const std::byte> key, std::string_view message) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, readable(key.data()), key.size());
  crypto_auth_hmacsha256_update(&state, readable(message.data()), message.size());
  Hash32 hash;
  crypto_auth_hmacsha256_final(&state, writable(hash.data()));
  return hash;
}

std::string pseudonym_of(std::string_view subject, std::string_view key) {
  constexpr std::size_t pseudonym_bytes = 16;
  const Hash32 hash = hmac_sha256(std::as_bytes(std::span(key)), subject);
  return lower_hex(std::span(hash).first(pseudonym_bytes));
}

}  // namespace portail
