#include "core/crypto/pseudonym.hpp"

#include <span>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"

namespace portail {

std::string pseudonym_of(std::string_view subject, std::string_view key) {
  constexpr std::size_t pseudonym_bytes = 16;
  const Hash32 hash = hmac_sha256(std::as_bytes(std::span(key)), subject);
  return lower_hex(std::span(hash).first(pseudonym_bytes));
}

}  // namespace portail
